#include "format/format.h"

#include <array>
#include <cstddef>

#include "format/chrome.h"
#include "format/cpuprofile.h"
#include "format/folded.h"
#include "format/ftap_writer.h"
#include "format/html.h"
#include "format/json.h"
#include "format/pprof.h"
#include "format/speedscope.h"
#include "format/svg.h"

namespace flametap::format {
namespace {

struct Row {
  Format format;
  std::string_view name;
  std::array<std::string_view, 3> extensions;  // the first is the one that we give
  std::string (*write)(const profile::Profile&);
};

// In the order of Format; a longer extension stands before the one that it ends with.
constexpr std::array<Row, 9> kRows = {{
    {Format::html, "html", {".html", ".htm", ""}, write_html},
    {Format::svg, "svg", {".svg", "", ""}, write_svg},
    {Format::folded, "folded", {".folded", ".collapsed", ".txt"}, write_folded},
    {Format::speedscope, "speedscope", {".speedscope.json", ".speedscope", ""}, write_speedscope},
    {Format::pprof, "pprof", {".pb.gz", ".pprof", ""}, write_pprof},
    {Format::chrome, "chrome", {".trace.json", ".chrome.json", ""}, write_chrome},
    {Format::cpuprofile, "cpuprofile", {".cpuprofile", "", ""}, write_cpuprofile},
    {Format::json, "json", {".json", "", ""}, write_json},
    {Format::ftap, "ftap", {".ftap", "", ""}, write_ftap},
}};

const Row& row(Format format) { return kRows[static_cast<std::size_t>(format)]; }

const Row* row_by_path(std::string_view path, std::string_view& extension) {
  for (const Row& candidate : kRows) {
    for (const std::string_view ending : candidate.extensions) {
      if (ending.empty() || !path.ends_with(ending)) continue;
      extension = path.substr(path.size() - ending.size());
      return &candidate;
    }
  }
  return nullptr;
}

}  // namespace

std::string_view name(Format format) { return row(format).name; }

std::string_view extension(Format format) { return row(format).extensions[0]; }

std::string known_formats() {
  std::string names;
  for (const Row& known : kRows) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

Result<Format> format_by_name(std::string_view name) {
  for (const Row& known : kRows) {
    if (known.name == name) return known.format;
  }
  return Error{Failure::usage, "no format is called '" + std::string(name) + "'", "choose one of: " + known_formats()};
}

Result<Format> format_by_path(std::string_view path) {
  std::string_view ending;
  if (const Row* known = row_by_path(path, ending)) return known->format;
  return Error{Failure::usage, "the name '" + std::string(path) + "' does not tell its format by its extension",
               "name the format with -f, one of: " + known_formats()};
}

Result<Format> choose_format(std::string_view name, std::string_view path) {
  if (!name.empty()) return format_by_name(name);
  if (path.empty() || path == "-") return kDefaultFormat;
  return format_by_path(path);
}

std::string_view extension_of(std::string_view path) {
  std::string_view ending;
  if (row_by_path(path, ending) != nullptr) return ending;
  const std::size_t name_start = path.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot <= name_start) return "";
  return path.substr(dot);
}

bool keeps_time(Format format) {
  return format == Format::speedscope || format == Format::chrome || format == Format::cpuprofile ||
         keeps_everything(format);
}

bool keeps_everything(Format format) {
  return format == Format::html || format == Format::json || format == Format::ftap;
}

std::string write(Format format, const profile::Profile& profile) { return row(format).write(profile); }

}  // namespace flametap::format

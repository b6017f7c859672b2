#include "format/html.h"

#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "base/bytes.h"
#include "format/byte_source.h"
#include "format/ftap_reader.h"
#include "format/ftap_writer.h"
#include "format/program_name.h"
#include "format/text.h"
#include "viewer/page.h"

namespace flametap::format {
namespace {

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string text_of(profile::Mode mode) {
  return std::string(mode == profile::Mode::unknown ? "" : profile::name(mode));
}

}  // namespace

std::string recording_name(const profile::Profile& profile) {
  if (profile.processes().empty() || profile.processes().front().command.empty()) return "recording";
  const profile::Process& first = profile.processes().front();
  const std::string name = program_name(words_of(first.command));
  return first.pid > 0 ? name + "-" + std::to_string(first.pid) : name;
}

std::string write_html(const profile::Profile& profile) { return html_around(write_ftap(profile), profile); }

std::string html_around(std::string_view ftap, const profile::Profile& profile, const Opening& opening) {
  const std::string name = recording_name(profile);
  return viewer::page({.title = name + " - flametap",
                       .recordings = {{name + ".ftap", ftap, text_of(opening.mode), opening.by_thread}}});
}

std::string write_html_difference(const Named& before, const Named& after, profile::Mode mode) {
  const std::string old_bytes = write_ftap(before.profile);
  const std::string new_bytes = write_ftap(after.profile);
  const std::string old_name = clean(before.name);
  const std::string new_name = clean(after.name);
  return viewer::page({.title = old_name + " and " + new_name + " - flametap",
                       .recordings = {{old_name, old_bytes, text_of(mode)}, {new_name, new_bytes, text_of(mode)}}});
}

bool looks_like_html(std::string_view content) { return content.starts_with("<!doctype html>"); }

Result<ReadProfile> read_html(std::string_view page, const ReadOptions& options) {
  const std::optional<std::string> recording = viewer::first_recording(page);
  const bool cut_off = viewer::is_cut_off(page);
  if (cut_off && (!recording || recording->empty())) {
    return Error{Failure::failed, "the page is cut off before the recording in it", "get the whole file again"};
  }
  if (!recording) {
    return Error{Failure::failed, "this is a page without a recording in it",
                 "pages that flametap wrote with -f html have one"};
  }
  auto read = read_ftap(MemorySource(std::as_bytes(std::span(*recording))), options);
  if (!read && cut_off) {
    return Error{read.error().kind, "the page is cut off: " + read.error().message, "get the whole file again"};
  }
  if (read && cut_off) read->warnings.insert(read->warnings.begin(), kIsCutOff);
  if (read && viewer::recording_count(page) > 1) read->warnings.emplace_back(kOnlyTheFirstIsRead);
  return read;
}

}  // namespace flametap::format

#include "format/tapset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "format/tapset_script.h"

namespace flametap::format {
namespace {

constexpr std::array kMarkers{"function__entry",           "function__return",         "line", "gc__start", "gc__done",
                              "import__find__load__start", "import__find__load__done", "audit"};

bool is_plain(std::string_view path) {
  return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("/._-+@~,").find(c) != std::string_view::npos;
         });
}

Result<void> check_path(const std::string& path) {
  if (is_plain(path)) return {};
  return Error{Failure::failed, "the path of its file cannot stand in a script: it has unusual characters",
               "give a link to it that has a plain name"};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string join(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::vector<std::string_view> missing_of(const TapsetTarget& target, const std::vector<std::string_view>& needs) {
  std::vector<std::string_view> missing;
  std::copy_if(needs.begin(), needs.end(), std::back_inserter(missing),
               [&](std::string_view marker) { return !target.has(marker); });
  return missing;
}

struct Scripts {
  std::vector<TapsetScript> all;
  TapsetWords words;
};

Scripts scripts_for(const TapsetTarget& target, TapsetLanguage language, const std::string& tapset) {
  switch (language) {
    case TapsetLanguage::bpftrace:
      return {bpftrace_scripts(target), bpftrace_words(target)};
    case TapsetLanguage::systemtap:
      return {systemtap_scripts(target, tapset), systemtap_words(target)};
    case TapsetLanguage::dtrace:
      return {dtrace_scripts(target), dtrace_words(target)};
  }
  return {};
}

std::string preamble(const TapsetTarget& target, TapsetLanguage language, const std::vector<TapsetScript>& scripts) {
  const std::string what = target.pid ? std::to_string(*target.pid) : target.path;
  std::string text = fmt::format("/* For {}: the markers of Python{} in {}.\n", to_string(language),
                                 target.version.empty() ? "" : " " + target.version, target.path);
  text += "   Several scripts follow. This puts each into a file of its own:\n";
  text += fmt::format("     flametap trace --tapset {} --for {} | awk '/^\\/\\* ==== /{{f=$3}} f{{print > f}}'\n", what,
                      to_string(language));
  const auto missing = missing_of(target, {kMarkers.begin(), kMarkers.end()});
  if (!missing.empty()) text += "   This Python has no marker " + join(missing) + ".\n";
  for (const TapsetScript& script : scripts) {
    const auto needed = missing_of(target, script.needs);
    if (!needed.empty()) text += fmt::format("   Left out: {}, which needs {}.\n", script.name, join(needed));
  }
  return text + "*/\n";
}

std::string write_script(const TapsetScript& script, const TapsetTarget& target, const TapsetWords& words) {
  std::string run(script.run);
  run = replaced(run, "@PID@", target.pid ? std::to_string(*target.pid) : "PID");
  run = replaced(run, "@PROGRAM@", target.program.empty() ? target.path : target.program);
  std::string body = replaced(std::string(script.body), "@ARM@", words.arm);
  body = replaced(body, "@PLACE@", words.place);
  return fmt::format("\n/* ==== {} ====\n   {}\n   Run: {}\n*/\n{}", script.name, script.about, run, body);
}

}  // namespace

std::vector<std::string_view> call_markers(const TapsetTarget& target) {
  std::vector<std::string_view> markers{"function__entry"};
  if (target.needs_arming) markers.push_back("line");
  return markers;
}

std::vector<std::string_view> hierarchy_markers(const TapsetTarget& target) {
  std::vector<std::string_view> markers = call_markers(target);
  markers.push_back("function__return");
  return markers;
}

std::string_view to_string(TapsetLanguage language) {
  switch (language) {
    case TapsetLanguage::bpftrace:
      return "bpftrace";
    case TapsetLanguage::systemtap:
      return "systemtap";
    case TapsetLanguage::dtrace:
      return "dtrace";
  }
  return "?";
}

std::optional<TapsetLanguage> tapset_language_named(std::string_view name) {
  for (const TapsetLanguage language : {TapsetLanguage::bpftrace, TapsetLanguage::systemtap, TapsetLanguage::dtrace}) {
    if (to_string(language) == name) return language;
  }
  return std::nullopt;
}

Result<std::string> write_tapset(const TapsetTarget& target, TapsetLanguage language) {
  if (const auto sound = check_path(target.path); !sound) return sound.error();
  if (!target.program.empty()) {
    if (const auto sound = check_path(target.program); !sound) return sound.error();
  }
  const std::string tapset = systemtap_tapset(target);
  const Scripts scripts = scripts_for(target, language, tapset);
  std::string text = preamble(target, language, scripts.all);
  for (const TapsetScript& script : scripts.all) {
    if (missing_of(target, script.needs).empty()) text += write_script(script, target, scripts.words);
  }
  return text;
}

}  // namespace flametap::format

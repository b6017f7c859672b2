// The scripts of write_tapset(), one file per language.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/tapset.h"

namespace flametap::format {

struct TapsetScript {
  std::string_view name;   // of its file
  std::string_view about;  // one line
  std::string_view run;    // a command; @PID@ stands for the process, @PROGRAM@ for the file that is run
  std::vector<std::string_view> needs;
  // @PLACE@ stands for the file with the markers, as the language names it; @ARM@ for what makes 3.11 tell calls.
  std::string_view body;
};

// What stands for @PLACE@ and @ARM@.
struct TapsetWords {
  std::string place;
  std::string arm;
};

// The markers that a script needs to see calls, and their ends, too.
[[nodiscard]] std::vector<std::string_view> call_markers(const TapsetTarget& target);
[[nodiscard]] std::vector<std::string_view> hierarchy_markers(const TapsetTarget& target);

[[nodiscard]] std::vector<TapsetScript> bpftrace_scripts(const TapsetTarget& target);
[[nodiscard]] TapsetWords bpftrace_words(const TapsetTarget& target);
// `tapset` must outlive what is given back.
[[nodiscard]] std::vector<TapsetScript> systemtap_scripts(const TapsetTarget& target, const std::string& tapset);
[[nodiscard]] std::string systemtap_tapset(const TapsetTarget& target);
[[nodiscard]] TapsetWords systemtap_words(const TapsetTarget& target);
[[nodiscard]] std::vector<TapsetScript> dtrace_scripts(const TapsetTarget& target);
[[nodiscard]] TapsetWords dtrace_words(const TapsetTarget& target);

}  // namespace flametap::format

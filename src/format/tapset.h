// Tapset: ready scripts for other tracers (bpftrace, SystemTap, DTrace) and the markers of one Python.
//
// The text is several scripts in a row, each complete and headed by a comment that names its file and says how to run
// it; a marker that the Python lacks is left out, with the scripts that need it, and named at the top.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flametap::format {

enum class TapsetLanguage : std::uint8_t { bpftrace, systemtap, dtrace };

// "bpftrace", "systemtap", "dtrace".
[[nodiscard]] std::optional<TapsetLanguage> tapset_language_named(std::string_view name);
[[nodiscard]] std::string_view to_string(TapsetLanguage language);

struct TapsetTarget {
  std::string path;               // of the file with the markers
  std::string program = {};       // of the process, if the markers are in a library of it; else empty
  std::optional<pid_t> pid = {};  // nothing: every process that runs the file
  std::string version = {};       // of the Python; empty: not known
  std::set<std::string, std::less<>> markers = {};
  bool needs_arming = false;  // calls are told only while the marker `line` is used, too (3.11)

  [[nodiscard]] bool has(std::string_view marker) const { return markers.contains(marker); }
};

// Fails for a path that cannot be written in a script as it is: scripts are run by root, and a path is anybody's to
// choose.
[[nodiscard]] Result<std::string> write_tapset(const TapsetTarget& target, TapsetLanguage language);

}  // namespace flametap::format

#include "cli/profile_input.h"

#include <utility>

#include "cli/diagnostics.h"
#include "format/read_any.h"

namespace flametap::cli {

Result<profile::Profile> read_profile(const std::string& file, Need need) {
  auto read = format::read_any(file, {.keep_time = need.time});
  if (!read) return read.error();
  for (const std::string& warning : read->warnings) warn(file + ": " + warning);
  return std::move(read->profile);
}

std::optional<profile::Mode> shown_mode(std::optional<profile::Mode> asked, const profile::Profile& profile,
                                        Need need) {
  if (asked) return asked;
  if (profile.recording.mode == profile::Mode::wall && !need.copy) return profile::Mode::cpu;
  return std::nullopt;
}

}  // namespace flametap::cli

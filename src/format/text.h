// Words that several formats share: names made safe for every reader, and numbers for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace flametap::format {

// Stands for the stack of a sample that has none, in formats that cannot say so otherwise.
inline constexpr std::string_view kNoFrames = "(no Python frames)";

// "flametap 0.1.0"
[[nodiscard]] std::string_view exporter();

// Well-formed UTF-8 on one line: what is not UTF-8 becomes U+FFFD, a control character becomes a blank. Names come from
// the memory of a program, so anything may stand in them.
[[nodiscard]] std::string clean(std::string_view text);

// More characters of a name or a path are not shown in lines for people: generated ones may have thousands.
inline constexpr std::size_t kLongestName = 200;

// At most so many characters of a text that is clean: of a longer one the middle is left out, and "…" stands for it.
[[nodiscard]] std::string without_middle(std::string_view text, std::size_t characters = kLongestName);

// `qualname (file:line)`; without the line if it is not known, and the bare name if there is no file.
[[nodiscard]] std::string frame_text(const profile::Profile& profile, profile::FrameId frame);

// The last part of a path, or all of it.
[[nodiscard]] std::string_view base_name(std::string_view path);

// Where a function is, for people: its file; of a native one without a known source, the bare name of its library.
[[nodiscard]] std::string place_text(const profile::Profile& profile, const profile::Function& function);

[[nodiscard]] std::string with_commas(std::uint64_t number);  // 1,234,567
[[nodiscard]] std::string human_time(std::uint64_t time_ns);  // 1.23 s, 45.6 ms
[[nodiscard]] std::string human_share(double share);          // 12.34 %

// How fast it sampled and for how long, what kind of samples, and what was lost: two lines for people.
[[nodiscard]] std::string recording_text(const profile::Profile& profile);
[[nodiscard]] std::string quality_text(const profile::Profile& profile);

// The command line of the first process, and how many more there are.
[[nodiscard]] std::string command_text(const profile::Profile& profile);

}  // namespace flametap::format

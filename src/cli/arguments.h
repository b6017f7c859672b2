// The values of options, out of the words that people type. An error says what would have been right.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "profile/profile.h"

namespace flametap::cli {

inline constexpr double kMaxRateHz = 100'000;
inline constexpr double kMaxSeconds = 1e9;

// Samples per second; 0 for the word `max`, as fast as possible.
[[nodiscard]] Result<double> parse_rate(const std::string& word);
// A time in seconds, more than 0; `option` is for the message.
[[nodiscard]] Result<Nanoseconds> parse_seconds(const std::string& word, const std::string& option = "--duration");
// The same in milliseconds.
[[nodiscard]] Result<Nanoseconds> parse_milliseconds(const std::string& word, const std::string& option);
[[nodiscard]] Result<pid_t> parse_pid(const std::string& word);
// Each word is a pid or several with commas between them. The same one twice counts once.
[[nodiscard]] Result<std::vector<pid_t>> parse_pids(const std::vector<std::string>& words);
[[nodiscard]] Result<int> parse_cpu(const std::string& word);
// A whole number above 0; `option` is for the message.
[[nodiscard]] Result<std::size_t> parse_count(const std::string& option, const std::string& word);
[[nodiscard]] Result<profile::Mode> parse_mode(const std::string& word);

// 0 is one, too: any that is free.
[[nodiscard]] Result<std::uint16_t> parse_port(const std::string& option, const std::string& word);

}  // namespace flametap::cli

#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace flametap::cli {
namespace {

// The number that the whole word is, or nothing.
template <typename Number>
std::optional<Number> whole_number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

Error wrong(const std::string& option, const std::string& word, const std::string& expected) {
  return {Failure::usage, option + " '" + word + "': " + expected, ""};
}

}  // namespace

Result<double> parse_rate(const std::string& word) {
  if (word == "max") return 0.0;
  const auto rate = whole_number<double>(word);
  if (!rate || !(*rate > 0) || *rate > kMaxRateHz) {
    return wrong("--rate", word, "must be samples per second, more than 0 and at most 100000, or the word max");
  }
  return *rate;
}

Result<Nanoseconds> parse_seconds(const std::string& word, const std::string& option) {
  const auto seconds = whole_number<double>(word);
  if (!seconds || !(*seconds > 0) || *seconds > kMaxSeconds) {
    return wrong(option, word, "must be a number of seconds, more than 0");
  }
  return static_cast<Nanoseconds>(std::ceil(*seconds * static_cast<double>(kSecond)));
}

Result<Nanoseconds> parse_milliseconds(const std::string& word, const std::string& option) {
  const auto milliseconds = whole_number<double>(word);
  if (!milliseconds || !(*milliseconds > 0) || *milliseconds > kMaxSeconds * 1000) {
    return wrong(option, word, "must be a number of milliseconds, more than 0");
  }
  return static_cast<Nanoseconds>(std::ceil(*milliseconds * static_cast<double>(kSecond) / 1000));
}

Result<pid_t> parse_pid(const std::string& word) {
  const auto pid = whole_number<pid_t>(word);
  if (!pid || *pid <= 0) return wrong("--pid", word, "must be the id of a process, a whole number above 0");
  return *pid;
}

Result<std::vector<pid_t>> parse_pids(const std::vector<std::string>& words) {
  std::vector<pid_t> pids;
  for (const std::string& word : words) {
    for (std::size_t start = 0; start <= word.size();) {
      const std::size_t comma = std::min(word.find(',', start), word.size());
      const auto pid = parse_pid(word.substr(start, comma - start));
      if (!pid) return pid.error();
      if (std::ranges::find(pids, *pid) == pids.end()) pids.push_back(*pid);
      start = comma + 1;
    }
  }
  return pids;
}

Result<int> parse_cpu(const std::string& word) {
  const auto cpu = whole_number<int>(word);
  if (!cpu || *cpu < 0) return wrong("--cpu", word, "must be the number of a CPU, from 0 on");
  return *cpu;
}

Result<std::size_t> parse_count(const std::string& option, const std::string& word) {
  const auto count = whole_number<std::size_t>(word);
  if (!count || *count == 0) return wrong(option, word, "must be a whole number above 0");
  return *count;
}

Result<profile::Mode> parse_mode(const std::string& word) {
  const auto mode = profile::mode_by_name(word);
  if (!mode || *mode == profile::Mode::unknown) return wrong("--mode", word, "must be one of wall, cpu, gil, ready");
  return *mode;
}

Result<std::uint16_t> parse_port(const std::string& option, const std::string& word) {
  const auto port = whole_number<std::uint16_t>(word);
  if (!port) return wrong(option, word, "must be a port, from 0 to 65535");
  return *port;
}

}  // namespace flametap::cli

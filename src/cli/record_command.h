// `flametap record`: samples running processes, or a command that it starts, and writes the profile.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/push_target.h"
#include "profile/profile.h"
#include "sampler/native_process.h"

namespace flametap::cli {

struct RecordRequest {
  std::vector<pid_t> pids;           // either these
  std::vector<std::string> command;  // or this, never both
  double rate_hz = 1000;             // 0: as fast as possible
  std::optional<Nanoseconds> duration = {};
  std::optional<int> cpu = {};
  std::string output;  // -o, -f and --stats as they were given
  std::string format;
  std::string stats;
  profile::Mode mode = profile::Mode::cpu;
  bool by_thread = false;
  bool children = false;  // and their children, and so on
  bool interrupt = true;
  bool pause = true;
  bool lines = true;
  std::optional<PushTarget> push = {};
  std::optional<std::uint16_t> serve_port = {};  // show it in a browser while it grows; 0: any port that is free
  bool sources = false;                          // keep the texts of source files
  std::optional<sampler::NativeOptions> native = {};
};

// The exit code: a command's own, if one was started.
[[nodiscard]] int record(const RecordRequest& request);

}  // namespace flametap::cli

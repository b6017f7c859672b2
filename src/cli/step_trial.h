// Each step of the sampling engine tried once by itself, with its result and its time, in words for `doctor`.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "sampler/process_sampler.h"

namespace flametap::cli {

// What we may do with a process that we started ourselves.
struct ChildTrial {
  bool tried = false;  // false: no child could be started
  bool can_read = false;
  bool can_pause = false;
  double read_microseconds = 0;
};

[[nodiscard]] ChildTrial try_own_child();

struct ThreadTrial {
  pid_t tid;
  std::string name;  // that the program gave it, else the kernel's
  std::string free_reading;
  std::string interrupt;
  std::string ride_along;
  std::string pause;  // a thread that sleeps is never paused: some of its system calls would fail
};

// The Python threads of a process, which runs on; of many, only the first ones.
[[nodiscard]] std::vector<ThreadTrial> try_threads(sampler::ProcessSampler& sampler);

}  // namespace flametap::cli

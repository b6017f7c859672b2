// SampledProcess: what a profile tells of a process, of its threads and of the frames of its stacks.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "profile/profile.h"
#include "sampler/named_frame.h"
#include "stack/frame.h"

namespace flametap::sampler {

class SampledProcess {
 public:
  SampledProcess() = default;
  SampledProcess(const SampledProcess&) = delete;
  SampledProcess& operator=(const SampledProcess&) = delete;
  virtual ~SampledProcess() = default;

  [[nodiscard]] virtual profile::Process description() const = 0;
  // Whether its C stacks are sampled, too.
  [[nodiscard]] virtual bool is_native() const = 0;
  // The kernel's name of a thread; empty if it is not known.
  [[nodiscard]] virtual std::string thread_name(pid_t tid) const = 0;
  // What a frame of a sample is called; several where functions were inlined, the innermost first.
  [[nodiscard]] virtual std::vector<NamedFrame> names_of(const stack::Frame& frame) const = 0;
};

}  // namespace flametap::sampler

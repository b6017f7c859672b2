// NativeThreadSampler: samples of a thread that runs no Python: one of a C library's, or one that has not called Python
// yet. One thread only.
#pragma once

#include <sys/types.h>

#include <span>
#include <utility>
#include <vector>

#include "sampler/kernel_view.h"
#include "sampler/native_process.h"
#include "sampler/rest.h"
#include "sampler/sampled.h"
#include "stack/frame.h"
#include "target/pause.h"

namespace flametap::sampler {

class NativeThreadSampler {
 public:
  NativeThreadSampler(KernelView kernel, pid_t tid) : kernel_(std::move(kernel)), tid_(tid) {}

  // `pauser` may be null: then there are no samples of it while it runs.
  [[nodiscard]] Sampled sample(NativeProcess& native, target::Pauser* pauser);
  // Of the last sample; the innermost first.
  [[nodiscard]] std::span<const stack::Frame> frames() const { return frames_; }
  [[nodiscard]] pid_t tid() const { return tid_; }

 private:
  [[nodiscard]] Sampled take(NativeProcess& native, target::Pauser* pauser);

  KernelView kernel_;
  pid_t tid_;
  Sampled last_;
  Rest rest_;
  std::vector<stack::Frame> frames_;
};

}  // namespace flametap::sampler

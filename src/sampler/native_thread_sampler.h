// NativeThreadSampler: samples of a thread that is none of Python's, as far as we know: one of a C library's. It may
// have begun to call Python just now. One thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sampler/kernel_view.h"
#include "sampler/native_process.h"
#include "sampler/rest.h"
#include "sampler/sampled.h"
#include "sampler/visit.h"
#include "stack/frame.h"
#include "target/pause.h"

namespace flametap::sampler {

class NativeThreadSampler {
 public:
  struct Tools {
    NativeProcess& native;
    target::Pauser* pauser;  // null: then there are no samples of it while it runs
    const FindVisit& find_visit;
  };

  NativeThreadSampler(KernelView kernel, pid_t tid) : kernel_(std::move(kernel)), tid_(tid) {}

  [[nodiscard]] Sampled sample(const Tools& tools);
  // Whether the last sample is one of Python, too.
  [[nodiscard]] const std::optional<Visit>& visit() const { return visit_; }
  // Of the last sample; the innermost first.
  [[nodiscard]] std::span<const stack::Frame> frames() const { return frames_; }
  [[nodiscard]] pid_t tid() const { return tid_; }

 private:
  [[nodiscard]] Sampled take(const Tools& tools);

  KernelView kernel_;
  pid_t tid_;
  Sampled last_;
  std::optional<Visit> visit_;
  std::uint64_t ident_ = 0;  // pthread_self(), once known
  Rest rest_;
  std::vector<stack::Frame> frames_;
};

}  // namespace flametap::sampler

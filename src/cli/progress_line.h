// ProgressLine: one line on the terminal that says how far a recording is, as long as this object lives.
//
// Has a thread of its own, so that a slow terminal never delays a sample. Erased at the end.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "sampler/recorder.h"

namespace flametap::cli {

class ProgressLine {
 public:
  // `progress` must outlive it. Draws nothing unless standard error is a terminal.
  explicit ProgressLine(const sampler::Progress& progress);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

 private:
  void draw_until_done();

  const sampler::Progress& progress_;
  const Nanoseconds start_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

// At most `columns` wide, counted in characters.
[[nodiscard]] std::string progress_text(const sampler::Progress::Now& now, Nanoseconds elapsed, std::size_t columns);

}  // namespace flametap::cli

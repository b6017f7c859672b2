// SharedWords: words that concern all threads of a process and are read along with each thread's stack: who holds the
// GIL, whether garbage is collected, and whether the lists of threads are still what they were.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpython/interpreter.h"
#include "cpython/thread_list.h"
#include "target/memory.h"

namespace flametap::cpython {

class SharedWords {
 public:
  // Follows a new list of threads. Segments that were handed out before are void.
  void follow(const Interpreter& interpreter, const ThreadList& list);

  // For StackReader::read_along, or to be read by themselves.
  [[nodiscard]] std::span<const target::Segment> segments() const { return segments_; }

  // As of the last reading.
  [[nodiscard]] bool list_changed() const;
  // The state of the thread that holds the GIL of this thread's interpreter; null: nobody does.
  [[nodiscard]] target::Address gil_holder(const PythonThread& thread) const;
  [[nodiscard]] bool holds_gil(const PythonThread& thread) const { return gil_holder(thread) == thread.state; }
  // Whether it is the thread that collects: the one with the GIL, while its interpreter collects.
  [[nodiscard]] bool in_gc(const PythonThread& thread) const;

  // Whether a thread of that interpreter which sleeps on this word waits for the GIL.
  [[nodiscard]] bool is_gil_wait(const PythonThread& thread, std::uint64_t sleeps_on) const;

 private:
  struct Gil {
    std::uint64_t from = 0;
    std::uint64_t size = 0;
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  void plan_segments(const std::vector<target::Address>& places);

  std::vector<std::uint64_t> words_;     // as read
  std::vector<std::uint64_t> expected_;  // of the words that tell a change: they come first
  std::vector<target::Segment> segments_;
  GilKind gil_kind_{};
  std::vector<Gil> gils_;               // of each interpreter
  std::size_t gil_at_ = kNowhere;       // of the first GIL word; per interpreter: holder, locked
  std::size_t collects_at_ = kNowhere;  // of the first interpreter's
  bool one_collector_ = false;          // for all interpreters
};

}  // namespace flametap::cpython

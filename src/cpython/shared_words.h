// SharedWords: words that concern all threads of a process and are read along with each thread's stack: who holds the
// GIL, and whether the lists of threads are still what they were.
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

  // For StackReader::read_along.
  [[nodiscard]] std::span<const target::Segment> segments() const { return segments_; }

  // As of the last reading.
  [[nodiscard]] bool list_changed() const;
  // The state of the thread that holds the GIL of this thread's interpreter; null: nobody does.
  [[nodiscard]] target::Address gil_holder(const PythonThread& thread) const;
  [[nodiscard]] bool holds_gil(const PythonThread& thread) const { return gil_holder(thread) == thread.state; }

 private:
  std::vector<std::uint64_t> words_;     // as read; in the order of segments_
  std::vector<std::uint64_t> expected_;  // of the words that tell a change: they come first
  std::vector<target::Segment> segments_;
  GilKind gil_kind_{};
  std::size_t gil_at_ = 0;  // of the first GIL word; per interpreter: holder, locked
};

}  // namespace flametap::cpython

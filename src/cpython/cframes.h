// CFrames: where a thread's innermost _PyCFrames were lately (3.11, 3.12), and what they say.
//
// A _PyCFrame is a variable of the C function that evaluates Python code. The thread's state names the innermost one,
// which names the frame that runs and the _PyCFrame around it. A function that begins links its own before it says what
// it runs. Until then it says what an earlier one left there: often the very frame that is about to run, with the
// caller of an earlier life. Once it is set up, the evaluation was called by the frame that the _PyCFrame around it
// names, because that one waits in C.
//
// Part of what is guessed and read: see stack_reader.h. Allocates nothing but room for segments.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

class CFrames {
 public:
  static constexpr std::size_t kKept = 4;

  // As they lie in memory.
  struct Copy {
    target::Address current_frame = target::kNull;
    target::Address previous = target::kNull;
  };
  using Copies = std::array<Copy, kKept>;

  explicit CFrames(const Layout& layout) : layout_(layout) {}

  // `innermost` is so now, and `outer` the one around it.
  void learn(target::Address innermost, target::Address outer);
  void forget();

  // To be read at the instant, and each time when it is looked again.
  void add_innermost(std::vector<target::Segment>& segments, Copies& copies) const;
  // To be read at the instant. Valid until the next change.
  void add_outer(std::vector<target::Segment>& segments);

  // What the last reading found there; null if it was not read.
  [[nodiscard]] const Copy* find(target::Address cframe, const Copies& copies) const;
  [[nodiscard]] const target::Address* find_outer_frame(target::Address cframe) const;

 private:
  using Places = std::array<target::Address, kKept>;
  // Makes it the first.
  static void keep(Places& places, target::Address cframe);
  template <typename T>
  static const T* read_at(const Places& places, const std::array<T, kKept>& values, target::Address cframe);

  const Layout& layout_;
  Places innermost_{};  // the newest first
  Places outer_{};      // those around them, likewise; one may be around several
  Places outer_frames_{};
};

}  // namespace flametap::cpython

// Merging the Python stack and the C stack of one thread, both of the same instant, into one.
//
// A C function of the interpreter evaluates Python code: each call of it on the C stack stands for a run of Python
// frames. Which call runs which run is told in one of two ways:
//
// - By anchors: the address of something that the interpreter keeps in that call's part of the C stack. This is exact,
//   needs no names, and does not mind calls of other interpreters, coroutine libraries that switch C stacks, or a C
//   stack that is not whole.
// - By counting, where the version has no anchors: the evaluating functions are known by their names, and the outermost
//   one runs the outermost run. A call that has just begun, or is about to return, has no frames: there may be one more
//   call than runs, which is then the innermost. Any other number means that the two do not belong together. Of a
//   C stack that is not whole this is known only where no such call can be about to begin or to end.
//
// Pure: knows no process. Allocates nothing once its buffers have grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/frame.h"

namespace flametap::stack {

// What a native frame is to the interpreter.
enum class Role : std::uint8_t {
  other,      // a function that does something
  evaluates,  // it evaluates Python code
  machinery,  // how the interpreter calls functions, and how programs and threads begin: of no interest to most people
};

struct NativeFrame {
  std::uint32_t number = 0;
  Role role = Role::other;
  std::uint64_t begin = 0;  // its part of the C stack
  std::uint64_t end = 0;    // 0: not known
};

struct PythonRun {
  std::uint32_t end = 0;     // in the Python frames: they begin where the run before it ends
  std::uint64_t anchor = 0;  // 0: none
};

// Everything is innermost first.
struct MergeInput {
  std::span<const Frame> python;
  std::span<const PythonRun> runs;
  std::span<const NativeFrame> native;
  bool native_is_whole = true;  // the outermost call is there
  bool settled = false;         // no evaluating function is about to begin or to end
  bool anchored = false;        // each run has an anchor
  bool shared = false;          // other interpreters have runs on the same C stack
  // How many; for counting only.
  std::size_t foreign_outside = 0;
  std::size_t foreign_inside = 0;
  // The outermost anchor of theirs that is further in than ours; 0: none. Where their calls have no names, it tells.
  std::uint64_t foreign_anchor = 0;
  bool show_machinery = false;
};

class Merger {
 public:
  // False: they do not fit together. Then `frames` is empty.
  [[nodiscard]] bool merge(const MergeInput& input, std::vector<Frame>& frames);
  // Of the last merge that fitted: the innermost native frame has a part in it. Else what runs right now is not ours.
  [[nodiscard]] bool reaches_innermost() const { return first_ == 0; }

 private:
  [[nodiscard]] bool pair_by_anchors(const MergeInput& input);
  [[nodiscard]] bool pair_by_counting(const MergeInput& input);
  void pair_in_order(const MergeInput& input, std::size_t to_skip);

  [[nodiscard]] std::size_t first_of_ours(const MergeInput& input) const;

  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::vector<std::uint32_t> runner_of_;  // for each run: the native frame that runs it
  std::size_t first_ = 0;                 // of the native frames that are ours
};

}  // namespace flametap::stack

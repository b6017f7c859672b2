// NativeProcess: the C stacks of one process, and how they become one with the Python stacks.
//
//   capture()   while a thread stands still: its registers and a copy of its stack, some microseconds
//   unwind()    later, from the copy, while it runs on
//   merge()     with what Python says of the same instant
//
// One thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "cpython/interpreter.h"
#include "cpython/stack_reader.h"
#include "native/address_space.h"
#include "native/binary.h"
#include "native/frame.h"
#include "native/stack_copy.h"
#include "native/unwinder.h"
#include "sampler/native_codes.h"
#include "stack/frame.h"
#include "stack/merge.h"
#include "target/memory.h"
#include "target/process.h"

namespace flametap::sampler {

struct NativeOptions {
  bool full = false;     // the interpreter's own functions, too
  bool inlines = false;  // functions that the compiler inlined, as frames of their own
  // Shared by all processes that are sampled with these options, and their copies.
  std::shared_ptr<native::BinaryCache> binaries = std::make_shared<native::BinaryCache>();
};

class NativeProcess {
 public:
  // All but the options are borrowed.
  [[nodiscard]] static Result<std::unique_ptr<NativeProcess>> open(const target::Process& process,
                                                                   target::Memory& memory,
                                                                   const cpython::Interpreter& interpreter, bool lines,
                                                                   NativeOptions options);

  // At each tick: looks now and then whether other libraries are loaded by now.
  void keep_up();

  // Right before a capture, while the thread still runs: makes the capture quicker.
  void rehearse() { copy_.rehearse(memory_); }
  // `asleep_in`: see look_while_still(). False: nothing could be copied.
  [[nodiscard]] bool capture(pid_t tid, const target::TaskSyscall* asleep_in);
  void unwind();
  // Of the thread that was captured, as it calls itself; 0: not known.
  [[nodiscard]] std::uint64_t captured_ident() const { return copy_.thread_pointer(); }

  // Runs of other interpreters on the same C stack.
  struct Foreign {
    bool any = false;
    std::size_t outside = 0;
    std::size_t inside = 0;
    std::uint64_t anchor = 0;  // see MergeInput::foreign_anchor
  };
  // What `reader` read at the instant of the capture, together with what was unwound. False: they do not fit.
  [[nodiscard]] bool merge(const cpython::StackReader& reader, const Foreign& foreign,
                           std::vector<stack::Frame>& frames);
  // The same of a thread without Python. False: it does run Python, of a thread state that came only just now.
  [[nodiscard]] bool show(std::vector<stack::Frame>& frames) const;

  // Of the last unwind().
  [[nodiscard]] bool truncated() const { return end_ == native::UnwindEnd::truncated; }
  [[nodiscard]] bool lost() const { return end_ == native::UnwindEnd::lost; }
  [[nodiscard]] bool guessed() const { return guessed_; }

  // Which merge() needs to know of other interpreters on the same C stack: without anchors, it counts.
  [[nodiscard]] bool counts_runs() const;

  [[nodiscard]] const NativeCodes& codes() const { return codes_; }
  void forget(pid_t tid) { copy_.forget(tid); }

 private:
  NativeProcess(const target::Process& process, target::Memory& memory, const cpython::Interpreter& interpreter,
                bool lines, NativeOptions options, native::AddressSpace space);

  void keep_running_greenlet();
  void fold_beginning();
  [[nodiscard]] bool is_settled() const;
  [[nodiscard]] bool anchor_runs(const cpython::StackReader& reader);
  void add_system_call(std::vector<stack::Frame>& frames) const;

  target::Memory& memory_;
  const cpython::Interpreter& interpreter_;
  NativeOptions options_;
  native::AddressSpace space_;
  NativeCodes codes_;
  native::StackCopy copy_;
  native::Unwinder unwinder_;
  native::UnwindEnd end_ = native::UnwindEnd::lost;
  bool guessed_ = false;
  bool asleep_ = false;
  bool switching_ = false;  // between two greenlets
  Nanoseconds next_refresh_ = 0;
  stack::Merger merger_;
  // Scratch.
  std::vector<native::Frame> unwound_;
  std::vector<Home> homes_;
  std::vector<stack::NativeFrame> native_;
  std::vector<stack::Frame> python_;
  std::vector<stack::PythonRun> runs_;
  std::vector<target::Address> cframes_;
};

// What a reader read, alone.
void show_python(const cpython::StackReader& reader, std::vector<stack::Frame>& frames);

}  // namespace flametap::sampler

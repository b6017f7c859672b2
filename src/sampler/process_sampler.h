// ProcessSampler: all threads of one Python process, sampled at one tick after the other.
//
// One thread only: create, use and destroy it there (ptrace and CPU affinity belong to a thread).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpython/code_cache.h"
#include "cpython/interpreter.h"
#include "cpython/shared_words.h"
#include "cpython/thread_list.h"
#include "sampler/cpu_seat.h"
#include "sampler/thread_sampler.h"
#include "stack/outcome.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace flametap::sampler {

struct ThreadSample {
  std::uint64_t thread;  // a number for this thread of this process, never given twice
  const cpython::PythonThread& python;
  pid_t tid;  // 0: not known
  Sampled sampled;
  stack::State state;
  std::span<const cpython::CodeFrame> frames;  // the innermost first
  target::Address gil_holder;                  // the state of the thread that had its GIL at that moment, or null
};

// What became of the process.
enum class Fate : std::uint8_t {
  runs,
  exited,
  replaced,  // it execs another program
  closed,    // its memory is not readable any more: it has changed its user, for example
};

class ProcessSampler {
 public:
  struct Options {
    bool lines = true;
    bool pause = true;
  };
  using Sink = std::function<void(const ThreadSample&)>;

  // Fails as find_interpreter does, and with Failure::no_such_process.
  [[nodiscard]] static Result<std::unique_ptr<ProcessSampler>> attach(pid_t pid, Options options);

  // Samples every Python thread once; `sink` is called for each.
  [[nodiscard]] Fate sample(CpuSeat& seat, const Sink& sink);

  // Between ticks that are far apart: lets go threads that stopped for us too late.
  void let_go_pending() {
    if (pauser_.has_pending()) pauser_.finish_pending();
  }

  [[nodiscard]] const target::Process& process() const { return process_; }
  [[nodiscard]] const cpython::Interpreter& interpreter() const { return interpreter_; }
  [[nodiscard]] const cpython::CodeCache& codes() const { return codes_; }
  [[nodiscard]] const cpython::ThreadList& threads() const { return list_; }

 private:
  struct Thread {
    std::uint64_t number;
    cpython::PythonThread python;
    std::unique_ptr<ThreadSampler> sampler;
  };

  ProcessSampler(target::Process process, Options options);

  void follow_threads();
  [[nodiscard]] std::unique_ptr<ThreadSampler> make_sampler(const cpython::PythonThread& thread, pid_t tid);
  [[nodiscard]] std::vector<pid_t> find_tids() const;
  [[nodiscard]] bool same_thread(const Thread& thread) const;
  [[nodiscard]] target::Address next_of(const Thread& thread) const;
  [[nodiscard]] Fate fate() const;

  target::Process process_;
  Options options_;
  mutable target::ProcessMemory memory_;
  target::Pauser pauser_;
  std::string auxv_;  // of the program that we attached to; another one has another
  cpython::Interpreter interpreter_;
  cpython::CodeCache codes_;
  cpython::ThreadList list_;
  cpython::SharedWords shared_;
  std::vector<Thread> threads_;
  std::uint64_t next_number_ = 0;
  bool list_is_old_ = true;
};

}  // namespace flametap::sampler

// ProcessSampler: all threads of one Python process, sampled at one tick after the other.
//
// One thread only, from the first sample to its end: ptrace and CPU affinity belong to a thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
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
#include "cpython/thread_tids.h"
#include "sampler/cpu_seat.h"
#include "sampler/named_frame.h"
#include "sampler/native_process.h"
#include "sampler/native_thread_sampler.h"
#include "sampler/programs.h"
#include "sampler/sampled_process.h"
#include "sampler/thread_numbers.h"
#include "sampler/thread_sampler.h"
#include "stack/outcome.h"
#include "target/interrupter.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace flametap::sampler {

struct ThreadSample {
  std::uint64_t thread;                 // a number for this thread of this process, never given twice
  const cpython::PythonThread* python;  // null: it runs no Python
  pid_t tid;                            // 0: not known
  Sampled sampled;
  stack::State state;
  std::span<const stack::Frame> frames;  // the innermost first
  // The state of the thread that had its GIL at that moment; null: nobody had it; nothing: not looked at.
  std::optional<target::Address> gil_holder;
  Nanoseconds duration;  // of taking it
};

// What became of the process.
enum class Fate : std::uint8_t {
  runs,
  exited,
  replaced,  // it execs another program
  closed,    // its memory is not readable any more: it has changed its user, for example
};

class ProcessSampler final : public SampledProcess {
 public:
  struct Options {
    bool lines = true;
    std::shared_ptr<target::Interrupter> interrupter = {};  // null: never interrupt
    bool pause = true;
    std::optional<NativeOptions> native = {};  // C stacks, too
    Programs* programs = nullptr;              // where to look first, and to remember what was found
  };
  // What the kernel counts of the turns of each thread, along with its sample.
  enum class Ask : std::uint8_t { nothing, turns };
  using Sink = std::function<void(const ThreadSample&)>;

  // Fails as find_interpreter does, and with Failure::no_such_process. May be called by another thread than the one
  // that samples, to which it then hands the result.
  [[nodiscard]] static Result<std::unique_ptr<ProcessSampler>> attach(pid_t pid, Options options);

  // Gets to know its threads, which takes milliseconds where there are many. Else the first sample does it.
  void get_ready();
  // Takes samples that count for nothing, with names and all, where that takes long at first: tables of symbols are
  // read then, and the first ticks are not missed for it.
  void rehearse(CpuSeat& seat);
  // Samples every thread once, those without Python where C stacks are asked for; `sink` is called for each.
  [[nodiscard]] Fate sample(CpuSeat& seat, const Sink& sink, Ask ask = Ask::nothing);
  // Between ticks: finds out which threads can be read while they run on. Takes no longer than until then.
  void try_free_readings(CpuSeat& seat, Nanoseconds until);

  // The CPU that it ran on last, as far as we know; or -1.
  [[nodiscard]] int last_cpu() const { return last_cpu_; }

  // Between ticks that are far apart: lets go threads that stopped for us too late.
  void let_go_pending() {
    if (pauser_.has_pending()) pauser_.finish_pending();
  }

  // The names that the program gave to these threads, by ThreadSample::thread, as they are now. Takes milliseconds
  // where there are hundreds. Where threads came while they were read, nobody has one; and none that may have ended
  // meanwhile, as the next one may have its ident.
  [[nodiscard]] std::map<std::uint64_t, std::string> thread_names(std::span<const std::uint64_t> threads);
  // Whether the thread of that number lives, as far as we know.
  [[nodiscard]] bool has_thread(std::uint64_t number) const;

  // For processes that will be forked by this one.
  void remember_in(Programs& programs) const { programs.add(program_, interpreter_); }
  // Which program it runs, since which exec: another one has another.
  [[nodiscard]] const std::string& program() const { return program_; }
  // The same of any process, as of now.
  [[nodiscard]] static Result<std::string> program_of(const target::Process& process);

  [[nodiscard]] const target::Process& process() const { return process_; }
  [[nodiscard]] const cpython::Interpreter& interpreter() const { return interpreter_; }
  [[nodiscard]] profile::Process description() const override;
  [[nodiscard]] bool is_native() const override { return options_.native.has_value(); }
  [[nodiscard]] std::string thread_name(pid_t tid) const override { return process_.thread_name(tid); }
  [[nodiscard]] std::vector<NamedFrame> names_of(const stack::Frame& frame) const override;
  [[nodiscard]] const cpython::ThreadList& threads() const { return list_; }

 private:
  // What is read along with the stack of a thread: words that concern all of them, and its own kernel id.
  struct Along {
    std::vector<target::Segment> segments;
    pid_t inner_tid;
  };

  struct Thread {
    std::uint64_t number;
    cpython::PythonThread python;
    cpython::KernelId id;
    std::unique_ptr<ThreadSampler> sampler;
    std::unique_ptr<Along> along;
    stack::State state;  // as of the last sample
    std::uint64_t tick;  // of the last sample
  };

  struct NativeThread {
    std::uint64_t number;
    std::unique_ptr<NativeThreadSampler> sampler;
  };

  ProcessSampler(target::Process process, Options options);

  [[nodiscard]] bool sample_threads(const ThreadSampler::Tools& tools, const Sink& sink);
  void follow_threads();
  [[nodiscard]] std::vector<cpython::KernelId> read_list();
  void read_along(Thread& thread);
  void follow_native_threads();
  void introduce_companions();
  [[nodiscard]] bool has_new_strangers(const std::vector<cpython::KernelId>& ids) const;
  void sample_native_threads(const NativeThreadSampler::Tools& tools, const Sink& sink);
  [[nodiscard]] bool is_python_thread(pid_t tid) const;
  [[nodiscard]] bool list_has_changed();
  [[nodiscard]] std::optional<Visit> find_visit(std::uint64_t ident, target::Address known);
  [[nodiscard]] std::unique_ptr<cpython::StackReader> make_reader(const cpython::PythonThread& thread);
  [[nodiscard]] std::unique_ptr<ThreadSampler> make_sampler(const cpython::PythonThread& thread, pid_t tid);
  [[nodiscard]] std::optional<target::Address> gil_holder_of(const Thread& thread, const Sampled& sampled) const;
  [[nodiscard]] stack::State state_of(const Thread& thread, const Sampled& sampled) const;
  [[nodiscard]] bool is_foremost(const Thread& thread) const;
  [[nodiscard]] bool is_at_work(const Thread& thread) const;
  [[nodiscard]] static stack::State state_of(const Visit& visit, const Sampled& sampled);
  [[nodiscard]] bool same_thread(const Thread& thread) const;
  [[nodiscard]] target::Address next_of(const Thread& thread) const;
  [[nodiscard]] bool may_run_another_program();
  [[nodiscard]] Fate fate() const;

  target::Process process_;
  Options options_;
  mutable target::ProcessMemory memory_;
  target::Pauser pauser_;
  std::string program_;  // that we attached to
  cpython::Interpreter interpreter_;
  cpython::CodeCache codes_;
  cpython::ThreadList list_;
  cpython::SharedWords shared_;
  std::vector<Thread> threads_;
  std::unique_ptr<NativeProcess> native_;  // null: not asked for, or not to be had
  std::vector<NativeThread> native_threads_;
  Nanoseconds next_native_list_ = 0;
  ThreadNumbers numbers_;
  bool list_is_old_ = true;
  bool none_was_known_ = false;  // of the threads in the list, when it was read the last time: maybe after an exec
  std::uint64_t tick_ = 0;
  // A process that was just forked has yet to write down its own kernel ids: how many ticks to wait before we look for
  // them again, and how many of these are left; 0: all are known.
  unsigned id_patience_ = 1;
  unsigned ticks_until_ids_ = 0;
  int last_cpu_ = -1;
};

}  // namespace flametap::sampler

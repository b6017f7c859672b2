// ExecWatch: holds a child of ours at the moment when it has begun a program but run none of its code, and lets it go,
// untraced, at the first program that somebody is waiting for.
//
// A command often is not the program that matters: env, nice, a shell with exec and a script's "#!" line begin another
// one in the same process. The watch asks about each of them: right after the exec, and, if the program is dynamically
// linked, once more at its entry point, when all libraries that it names are mapped (and have run their constructors).
// In between, the child's signals, job control and exit are as without us.
//
// Harmless: nothing is written into the child, and the kernel lets it go if we are killed. (See target/breakpoint.h
// for the one exception: on kernels before 5.13, while the child's libraries are loaded.)
//
// What it cannot see: processes that the child forks, and an exec by another thread than the main one. An exec of a
// set-user-id program gains nothing while we, without privileges, trace it.
//
// Ptrace binds the child to the calling thread: attach, run and destroy in one thread. Nobody else may wait for it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <optional>

#include "base/result.h"
#include "target/breakpoint.h"
#include "target/process.h"

namespace flametap::target {

class ExecWatch {
 public:
  // Asked while the child stands still.
  using Ready = std::function<bool(const Process&)>;

  enum class Outcome {
    ready,    // it was let go at a program about which `ready` said yes
    ended,    // it ended before; it is not reaped
    stopped,  // `stop` was set; it was let go
  };

  // `child` is a process that we forked, and must not exec before this returns. Fails where ptrace is forbidden, and
  // if a debugger has the child already; then the child is not touched.
  [[nodiscard]] static Result<ExecWatch> attach(pid_t child);

  ExecWatch(ExecWatch&& other) noexcept;
  ExecWatch& operator=(ExecWatch&&) = delete;
  // Lets the child go.
  ~ExecWatch();

  // Once only. A signal that sets `stop` should come to this thread, whose wait it then ends at once.
  [[nodiscard]] Outcome run(const Ready& ready, const std::atomic<bool>& stop);

 private:
  enum class Event { none, ended, exec, entry, signal, group_stop, other };
  struct Seen {
    Event event = Event::none;
    int signal = 0;  // to pass on
  };

  explicit ExecWatch(pid_t child) : child_(child) {}

  // What the child stands still for, if it does. A signal is left to the kernel until it is passed on: see Pause.
  [[nodiscard]] Seen look() const;
  // Event::none: `stop` was set. Null: waits until something happens.
  [[nodiscard]] Seen wait(const std::atomic<bool>* stop) const;
  [[nodiscard]] bool ask(Event event, const Ready& ready);
  // So that it is asked again when its libraries are mapped.
  void stop_at_entry(const Process& process);
  void resume(const Seen& seen);
  void detach(const Seen& seen);
  // Of a child that runs.
  void let_go();

  pid_t child_;  // 0: let go
  std::optional<Breakpoint> entry_;
};

}  // namespace flametap::target

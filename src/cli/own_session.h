// A command of flametap that runs in a child process, which can leave the session that it was started in.
//
// Linux shares the CPUs among sessions first, except in a cgroup of the CPU controller (see autogroup in sched(7)). A
// sampler in the session of the program that it samples, as when both were started by one shell, would take CPU time
// from that program wherever the machine has more to do than CPUs. So the child goes into a session of its own. The
// process that was started stays in the session of the shell and its terminal: it passes signals on to the child, and
// ends as the child does. If it is killed, the kernel kills the child.
#pragma once

#include <signal.h>

#include <functional>

namespace flametap::cli {

// Runs `work` in a child process; gives its exit code. To be called while there is one thread. If a signal ended the
// child, the same signal ends us. Where no child can be made, or there is nothing to gain, `work` runs in this process.
// A process that leads its session usually has nothing to gain if `starts_command` is false: the others in its session
// are its own children.
[[nodiscard]] int run_apart(bool starts_command, const std::function<int()>& work);

// In the child: goes into a session of its own. What it has started stays in the old one.
void leave_session();

// Whether a signal that the child was sent is one that the terminal sent to the process that it was started by.
[[nodiscard]] bool is_passed_on_from_terminal(const siginfo_t& signal);
// The same for one that the child got from the terminal as well, because it has not left the session yet.
[[nodiscard]] bool is_passed_on_twice(const siginfo_t& signal);

}  // namespace flametap::cli

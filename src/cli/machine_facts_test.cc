#include "cli/machine_facts.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>

namespace flametap::cli {
namespace {

// Whether `holds`, asked in a child, which may give up what it wants to.
bool in_child(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 42 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

// From now on that system call is not permitted.
bool deny(unsigned call) {
  std::array<sock_filter, 4> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(MachineFacts, OfThisMachine) {
  const int priority = getpriority(PRIO_PROCESS, 0);
  const MachineFacts facts = look_at_machine();
  EXPECT_FALSE(facts.usable_cpus.empty());
  EXPECT_TRUE(facts.child.tried);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), priority);
}

// Asked in a child, which has no children of other tests.
TEST(MachineFacts, LeavesNoChildBehind) {
  EXPECT_TRUE(in_child([] {
    static_cast<void>(look_at_machine());
    return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
  }));
}

TEST(MachineFacts, BehindAFilterThatDeniesReading) {
  EXPECT_TRUE(in_child([] {
    if (!deny(SYS_process_vm_readv)) return false;
    const MachineFacts facts = look_at_machine();
    return facts.us.seccomp_filter && facts.child.tried && !facts.child.can_read;
  }));
}

TEST(MachineFacts, BehindAFilterThatDeniesStopping) {
  EXPECT_TRUE(in_child([] {
    if (!deny(SYS_ptrace)) return false;
    const MachineFacts facts = look_at_machine();
    return facts.us.seccomp_filter && facts.child.tried && !facts.child.can_pause;
  }));
}

}  // namespace
}  // namespace flametap::cli

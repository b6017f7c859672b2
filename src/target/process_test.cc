#include "target/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

#include "target/test_child.h"

namespace flametap::target {
namespace {

Process open_or_die(pid_t pid) {
  Result<Process> process = Process::open(pid);
  EXPECT_TRUE(process) << process.error().message;
  return std::move(*process);
}

pid_t own_tid() { return static_cast<pid_t>(syscall(SYS_gettid)); }

TEST(Process, KnowsItself) {
  const Process process = open_or_die(getpid());
  EXPECT_EQ(process.pid(), getpid());
  EXPECT_GT(process.start_time(), 0u);
  EXPECT_TRUE(process.alive());
  const Result<Process::Status> status = process.status();
  ASSERT_TRUE(status);
  EXPECT_EQ(status->state, TaskState::running);
  EXPECT_EQ(status->tracer, 0);
  EXPECT_EQ(status->real_uid, getuid());
  EXPECT_EQ(status->effective_uid, geteuid());
  EXPECT_FALSE(process.command_line()->empty());
  EXPECT_NE(process.exe_path()->find("target_test"), std::string::npos);
  EXPECT_EQ(*process.comm(), "target_test");
  EXPECT_TRUE(*process.same_mount_namespace());
  EXPECT_NE(process.maps()->find(Address{reinterpret_cast<std::uintptr_t>(&own_tid)}), nullptr);
}

TEST(Process, RefusesWhatIsNoProcess) {
  for (const pid_t pid : {0, -1, 0x7fff'ffff}) {
    const Result<Process> process = Process::open(pid);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.error().kind, Failure::no_such_process);
  }
}

TEST(Process, RefusesAThreadAndNamesItsProcess) {
  std::thread([] {
    const Result<Process> process = Process::open(own_tid());
    ASSERT_FALSE(process);
    EXPECT_NE(process.error().message.find("is a thread of process " + std::to_string(getpid())), std::string::npos);
    EXPECT_EQ(process.error().remedy, "give the process: -p " + std::to_string(getpid()));
  }).join();
}

TEST(Process, RefusesAKernelThread) {
  const Result<Process> process = Process::open(2);
  if (process || process.error().kind == Failure::no_such_process) GTEST_SKIP() << "pid 2 is no kernel thread here";
  EXPECT_NE(process.error().message.find("kernel thread"), std::string::npos);
}

TEST(Process, RefusesAZombie) {
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  child.kill_without_reaping();
  const Result<Process> process = Process::open(child.pid());
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, Failure::no_such_process);
  EXPECT_NE(process.error().message.find("zombie"), std::string::npos);
}

TEST(Process, KnowsHowItEnded) {
  TestChild killed = TestChild::run([](const auto& ready) { ready(); });
  const Process process = open_or_die(killed.pid());
  EXPECT_EQ(process.wait_status(), std::nullopt);
  killed.kill_without_reaping();
  EXPECT_EQ(process.wait_status(), SIGKILL);
  killed.kill_and_reap();
  EXPECT_EQ(process.wait_status().value_or(SIGKILL), SIGKILL);  // known since Linux 6.15
}

TEST(Process, KnowsTheExitCode) {
  TestChild child = TestChild::run([](const auto& ready) {
    ::signal(SIGTERM, [](int) { ::_exit(3); });
    ready();
  });
  const Process process = open_or_die(child.pid());
  ASSERT_EQ(::kill(child.pid(), SIGTERM), 0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child.pid()), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process.wait_status(), 3 << 8);
}

TEST(Process, NoticesTheEnd) {
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  const Process process = open_or_die(child.pid());
  const Result<ThreadStat> stat = ThreadStat::open(child.pid(), child.pid());
  ASSERT_TRUE(stat);
  EXPECT_TRUE(process.alive());
  EXPECT_FALSE(process.ending());
  EXPECT_TRUE(stat->read());
  child.kill_without_reaping();
  EXPECT_FALSE(process.alive());
  EXPECT_TRUE(process.ending());
  EXPECT_FALSE(stat->read());
  child.kill_and_reap();
  EXPECT_FALSE(process.alive());
  EXPECT_TRUE(process.ending());
  EXPECT_FALSE(stat->read());
  EXPECT_EQ(process.status().error().kind, Failure::no_such_process);
  EXPECT_EQ(process.threads().error().kind, Failure::no_such_process);
  EXPECT_EQ(process.maps().error().kind, Failure::no_such_process);
}

TEST(Process, TellsStoppedAndTraced) {
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  const Process process = open_or_die(child.pid());
  ASSERT_EQ(kill(child.pid(), SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child.pid(), &status, WUNTRACED), child.pid());
  EXPECT_EQ(process.status()->state, TaskState::stopped);
  ASSERT_EQ(ptrace(PTRACE_ATTACH, child.pid(), nullptr, nullptr), 0);
  ASSERT_EQ(waitpid(child.pid(), &status, 0), child.pid());
  EXPECT_EQ(process.status()->state, TaskState::traced);
  EXPECT_EQ(process.status()->tracer, getpid());
  ASSERT_EQ(ptrace(PTRACE_DETACH, child.pid(), nullptr, nullptr), 0);
}

TEST(Process, ReadsOddNames) {
  const TestChild child = TestChild::run([](const auto& ready) {
    prctl(PR_SET_NAME, "a) R 1 (b");
    ready();
  });
  const Process process = open_or_die(child.pid());
  EXPECT_EQ(*process.comm(), "a) R 1 (b");
  EXPECT_EQ(ThreadStat::open(child.pid(), child.pid())->read()->parent, getpid());
}

TEST(Process, ListsThreads) {
  const TestChild child = TestChild::run([](const auto& ready) {
    std::thread([&] {
      ready();
      while (true) pause();
    }).join();
  });
  const Process process = open_or_die(child.pid());
  const Result<std::vector<pid_t>> tids = process.threads();
  ASSERT_TRUE(tids);
  EXPECT_EQ(tids->size(), 2u);
  EXPECT_EQ(std::count(tids->begin(), tids->end(), child.pid()), 1);
  const Result<std::vector<Process::ThreadIds>> ids = process.thread_ids();
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->size(), 2u);
  if (!*process.in_pid_namespace()) {
    EXPECT_EQ((*ids)[0].tid, (*ids)[0].inner_tid);
  }
}

TEST(Process, KnowsInnerIdsInAPidNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  // The child's own child is the first process of the new namespace; it dies with its parent.
  const TestChild child = TestChild::run([&](const auto& ready) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(1);
    const pid_t inner = fork();
    if (inner == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::thread([&] {
        ready();
        while (true) pause();
      }).join();
    }
    if (write(pipe_ends[1], &inner, sizeof inner) != sizeof inner) _exit(1);
  });
  pid_t inner = 0;
  ASSERT_EQ(read(pipe_ends[0], &inner, sizeof inner), static_cast<ssize_t>(sizeof inner));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  const Process process = open_or_die(inner);
  EXPECT_TRUE(*process.in_pid_namespace());
  EXPECT_FALSE(*process.same_mount_namespace());
  const Result<std::vector<Process::ThreadIds>> ids = process.thread_ids();
  ASSERT_TRUE(ids);
  ASSERT_EQ(ids->size(), 2u);
  EXPECT_EQ((*ids)[0].tid, inner);
  EXPECT_EQ((*ids)[0].inner_tid, 1);
  EXPECT_EQ((*ids)[1].inner_tid, 2);
}

// Runs inside a pid namespace, where nobody else takes pids, and tells the outcome with its exit code.
int check_reused_pid() {
  mount("proc", "/proc", "proc", 0, nullptr);
  const pid_t first = fork();
  if (first == 0) {
    while (true) pause();
  }
  const Result<Process> process = Process::open(first);
  if (!process || !process->alive()) return 2;
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  const Fd last_pid(open("/proc/sys/kernel/ns_last_pid", O_WRONLY));
  const std::string before = std::to_string(first - 1);
  if (write(last_pid.get(), before.data(), before.size()) < 0) return 3;
  const pid_t second = fork();
  if (second == 0) {
    while (true) pause();
  }
  if (second != first) return 4;
  const bool noticed = !process->alive() && !process->status() && !process->threads() && !process->maps();
  const bool other_opens = Process::open(second).ok();
  return noticed && other_opens ? 42 : 5;
}

TEST(Process, NoticesThatItsPidWasReused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  TestChild child = TestChild::run([](const auto& ready) {
    ready();
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(1);
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(1);
    const pid_t inner = fork();
    if (inner == 0) _exit(check_reused_pid());
    int status = 0;
    waitpid(inner, &status, 0);
    _exit(WEXITSTATUS(status));
  });
  EXPECT_EQ(WEXITSTATUS(child.wait()), 42);
}

}  // namespace
}  // namespace flametap::target

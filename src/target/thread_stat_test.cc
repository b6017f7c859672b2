#include "target/thread_stat.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace flametap::target {
namespace {

constexpr std::string_view kAfterName =
    " S 10 20 30 34816 40 4194304 1 2 3 4 500 60 7 8 20 0 1 0 987654 9 8 7 1 1 1 1 1 1 1 1 1 1 1 1 17 3 0 0 0 0 0\n";

TEST(ThreadStat, ParsesALine) {
  const auto stat = parse_task_stat("77 (python3)" + std::string(kAfterName));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, TaskState::sleeping);
  EXPECT_EQ(stat->parent, 10);
  EXPECT_FALSE(stat->kernel_thread);
  EXPECT_EQ(stat->cpu_ticks, 560u);
  EXPECT_EQ(stat->start_time, 987654u);
  EXPECT_EQ(stat->processor, 3);
}

TEST(ThreadStat, TellsWhetherAThreadIsAboutToEnd) {
  EXPECT_FALSE(parse_task_stat("77 (python3)" + std::string(kAfterName))->ending);
  EXPECT_TRUE(parse_task_stat("77 (python3) R 10 20 30 34816 40 4194308" + std::string(kAfterName))->ending);
}

TEST(ThreadStat, NamesCannotFoolIt) {
  for (const std::string name : {"", ")", ") R 1 2 3", "a b c", "\n", "(((", "x) Z 1"}) {
    const auto stat = parse_task_stat("77 (" + name + ")" + std::string(kAfterName));
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, TaskState::sleeping) << name;
    EXPECT_EQ(stat->processor, 3) << name;
  }
}

TEST(ThreadStat, RefusesAShortOrOddLine) {
  const std::string line = "77 (python3)" + std::string(kAfterName);
  EXPECT_FALSE(parse_task_stat(""));
  EXPECT_FALSE(parse_task_stat("77 python3 S 1"));
  EXPECT_FALSE(parse_task_stat(line.substr(0, line.size() / 2)));
  EXPECT_FALSE(parse_task_stat("77 (x) S 10 20 30 0 0 99999999999999999999999" + std::string(kAfterName)));
}

TEST(ThreadStat, ParsesTheWaitStatus) {
  std::string line = "7 (a ) b) Z 1";
  for (int field = 5; field < 52; ++field) line += " 0";
  EXPECT_EQ(parse_wait_status(line + " 139\n"), 139);
  EXPECT_EQ(parse_wait_status(line + "\n"), std::nullopt);
  EXPECT_EQ(parse_wait_status("7"), std::nullopt);
}

TEST(ThreadStat, ParsesSchedstat) {
  const auto stat = parse_task_schedstat("123456789 42 7\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->run_time, 123456789u);
  EXPECT_EQ(stat->wait_time, 42u);
  EXPECT_EQ(stat->slices, 7u);
  EXPECT_FALSE(parse_task_schedstat("123456789 42"));
  EXPECT_FALSE(parse_task_schedstat(""));
  EXPECT_FALSE(parse_task_schedstat("a b c"));
}

TEST(ThreadStat, ReadsItsOwnThreadAgainAndAgain) {
  const Result<ThreadStat> reader = ThreadStat::open(getpid(), gettid());
  const Result<ThreadSchedstat> schedstat = ThreadSchedstat::open(getpid(), gettid());
  ASSERT_TRUE(reader);
  ASSERT_TRUE(schedstat) << schedstat.error().message;
  const auto first = reader->read();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->state, TaskState::running);
  EXPECT_EQ(first->parent, getppid());
  const auto before = schedstat->read();
  ASSERT_TRUE(before);
  // Giving up the CPU makes the kernel account for the time so far.
  std::this_thread::sleep_for(std::chrono::nanoseconds{1});
  const auto second = reader->read();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->start_time, first->start_time);
  EXPECT_GE(second->cpu_ticks, first->cpu_ticks);
  EXPECT_GT(schedstat->read()->run_time, before->run_time);
}

TEST(ThreadStat, TellsTheProcessorOfAPinnedThread) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const Result<ThreadStat> reader = ThreadStat::open(getpid(), gettid());
  ASSERT_TRUE(reader);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(reader->read()->processor, cpu);
  }
  sched_setaffinity(0, sizeof allowed, &allowed);
}

TEST(TaskSyscall, TellsWhereTheThreadGoesOn) {
  const auto call = parse_task_syscall("230 0x1 0x0 0x7ffc10 0x7ffc20 0x0 0x5f 0x7ffc08 0x7f12d3\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, 230);
  EXPECT_EQ(call->first_argument, 1u);
  EXPECT_EQ(call->stack_pointer, 0x7ffc08u);
  EXPECT_EQ(call->program_counter, 0x7f12d3u);
}

TEST(TaskSyscall, MaySleepInNone) {
  const auto call = parse_task_syscall("-1 0x7ffc08 0x7f12d3\n");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->number, -1);
  EXPECT_EQ(call->stack_pointer, 0x7ffc08u);
  EXPECT_EQ(call->program_counter, 0x7f12d3u);
}

TEST(TaskSyscall, NothingIfItRuns) {
  EXPECT_FALSE(parse_task_syscall("running\n"));
  EXPECT_FALSE(parse_task_syscall("-1 0x7ffc08\n"));
  EXPECT_FALSE(parse_task_syscall("230 0x1 0x0 0x7ffc10\n"));
  EXPECT_FALSE(parse_task_syscall("230 0x1 0x0 0x7ffc10 0x7ffc20 0x0 0x5f 0x7ffc08 7f12d3\n"));
  EXPECT_FALSE(parse_task_syscall(""));
}

}  // namespace
}  // namespace flametap::target

// Stacks of live programs, each compared call by call with what libdwfl finds in the same stopped process.
#include "native/unwinder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/test_effort.h"
#include "base/test_paths.h"
#include "native/dwfl_oracle.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "target/test_child.h"
#include "target/test_spinner.h"
#include "target/thread_stat.h"

namespace flametap::native {
namespace {

using target::TestChild;

// Everything that it takes to unwind one process.
class Subject {
 public:
  explicit Subject(pid_t pid)
      : process_(std::move(*target::Process::open(pid))),
        memory_(pid),
        space_(std::move(*AddressSpace::open(process_, memory_, binaries_))),
        pauser_(pid) {}

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] target::Pause stop(pid_t tid) { return pauser_.stop(tid, target::kLong); }
  [[nodiscard]] std::vector<pid_t> threads() const { return *process_.threads(); }
  UnwindEnd unwind_stopped(pid_t tid) {
    EXPECT_EQ(copy_.capture_stopped(tid, memory_, space_), CaptureStatus::ok);
    return unwinder_.unwind(copy_, space_, frames_);
  }
  UnwindEnd unwind_sleeping(pid_t tid, const target::TaskSyscall& call) {
    EXPECT_EQ(copy_.capture_sleeping(tid, call, memory_, space_), CaptureStatus::ok);
    return unwinder_.unwind(copy_, space_, frames_);
  }

  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
  [[nodiscard]] StackCopy& copy() { return copy_; }
  [[nodiscard]] AddressSpace& space() { return space_; }
  // Whether its ELF says how to go on from a place.
  [[nodiscard]] bool has_row(target::Address pc) {
    const AddressSpace::Place place = space_.find(pc);
    return place.binary != nullptr && place.binary->rows().find(place.address) != nullptr;
  }
  [[nodiscard]] std::vector<DwflOracle::Call> calls() const {
    std::vector<DwflOracle::Call> calls;
    for (const Frame& frame : frames_) calls.push_back({to_number(frame.pc), to_number(frame.begin)});
    return calls;
  }

 private:
  target::Process process_;
  target::ProcessMemory memory_;
  BinaryCache binaries_;
  AddressSpace space_;
  StackCopy copy_;
  Unwinder unwinder_;
  std::vector<Frame> frames_;
  target::Pauser pauser_;
};

TestChild start(const std::string& way) { return TestChild::exec({in_build("src/native/native_program_stacks"), way}); }

std::string text_of(const std::vector<DwflOracle::Call>& calls) {
  std::string text;
  for (const DwflOracle::Call& call : calls) {
    char line[64];
    std::snprintf(line, sizeof line, "  %012llx sp %012llx\n", static_cast<unsigned long long>(call.pc),
                  static_cast<unsigned long long>(call.stack_pointer));
    text += line;
  }
  return text;
}

void expect_equal(const Subject& subject, const DwflOracle::Stack& truth) {
  EXPECT_TRUE(subject.calls() == truth.calls) << "ours:\n"
                                              << text_of(subject.calls()) << "libdwfl's:\n"
                                              << text_of(truth.calls);
}

TEST(Unwinder, TablesForDebuggersWillDo) {
  const TestChild child = TestChild::exec({in_build("src/native/native_program_debug_frame"), "aligned"});
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
  EXPECT_TRUE(
      std::none_of(subject.frames().begin(), subject.frames().end(), [](const Frame& frame) { return frame.guessed; }));
  expect_equal(subject, oracle.unwind(child.pid()));
}

class StandingStack : public testing::TestWithParam<const char*> {};

TEST_P(StandingStack, IsWhatLibdwflFinds) {
  const TestChild child = start(GetParam());
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  ASSERT_TRUE(pause);
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
  const DwflOracle::Stack truth = oracle.unwind(child.pid());
  expect_equal(subject, truth);
  EXPECT_TRUE(truth.complete);
  EXPECT_GE(subject.frames().size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(Unwinder, StandingStack,
                         testing::Values("spin", "aligned", "deep", "signal", "frame_pointer", "generated", "nanosleep",
                                         "read", "poll"));

// --- stacks of which a part cannot be had: what is there must be true

// Ours is the inner part of the truth.
void expect_inner_part(const Subject& subject, DwflOracle::Stack truth) {
  ASSERT_LE(subject.frames().size(), truth.calls.size()) << text_of(subject.calls()) << text_of(truth.calls);
  truth.calls.resize(subject.frames().size());
  expect_equal(subject, truth);
}

TEST(Unwinder, FollowsSoManyCallsAndNoMore) {
  const TestChild child = start("too_deep");
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::truncated);
  EXPECT_EQ(subject.frames().size(), Unwinder::kMaxDepth);
  expect_inner_part(subject, oracle.unwind(child.pid()));
}

TEST(Unwinder, AStackLargerThanTheCopyIsTruncated) {
  const TestChild child = start("wide");
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::truncated);
  EXPECT_EQ(subject.copy().stack().bytes.size(), StackCopy::kMaxBytes);
  EXPECT_GT(subject.frames().size(), 200u);
  EXPECT_LT(subject.frames().size(), 260u);
  expect_inner_part(subject, oracle.unwind(child.pid()));
}

TEST(Unwinder, WhatASignalInterruptedOnAnotherStackIsNotThere) {
  const TestChild child = start("other_stack");
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::truncated);
  EXPECT_GE(subject.frames().size(), 4u);
  expect_inner_part(subject, oracle.unwind(child.pid()));
}

TEST(Unwinder, IsLostWhereNothingSaysHowToGoOn) {
  const TestChild child = start("nothing");
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::lost);
  EXPECT_GE(subject.frames().size(), 3u);
  EXPECT_FALSE(subject.frames().back().guessed);
  expect_inner_part(subject, oracle.unwind(child.pid()));
}

TEST(Unwinder, NeedsNoTableForCodeThatIsAboutToLeave) {
  const TestChild child = start("leaving");
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
  EXPECT_GT(subject.frames().size(), oracle.unwind(child.pid()).calls.size());  // it gets no further than there
  EXPECT_TRUE(
      std::none_of(subject.frames().begin(), subject.frames().end(), [](const Frame& frame) { return frame.guessed; }));
}

TEST(Unwinder, SaysWhatItGuessed) {
  for (const char* const way : {"frame_pointer", "generated"}) {
    const TestChild child = start(way);
    Subject subject(child.pid());
    const target::Pause pause = subject.stop(child.pid());
    EXPECT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
    EXPECT_EQ(std::count_if(subject.frames().begin(), subject.frames().end(),
                            [](const Frame& frame) { return frame.guessed; }),
              1)
        << way;
  }
}

// --- threads, asleep and awake

TEST(Unwinder, UnwindsAThread) {
  const TestChild child = start("thread");
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  const std::vector<pid_t> threads = subject.threads();
  ASSERT_EQ(threads.size(), 2u);
  const pid_t tid = threads[0] == child.pid() ? threads[1] : threads[0];
  const target::Pause pause = subject.stop(tid);
  EXPECT_EQ(subject.unwind_stopped(tid), UnwindEnd::complete);
  EXPECT_GE(subject.frames().size(), 8u);
  const DwflOracle::Stack truth = oracle.unwind(tid);
  EXPECT_TRUE(truth.complete);
  expect_equal(subject, truth);
}

class SleepingStack : public testing::TestWithParam<const char*> {};

TEST_P(SleepingStack, IsUnwoundWithoutAStop) {
  const TestChild child = start(GetParam());
  Subject subject(child.pid());
  DwflOracle oracle(child.pid());
  target::wait_until([&] { return target::state_of(child.pid()) == target::TaskState::sleeping; });
  const auto call = target::ThreadSyscall::open(child.pid(), child.pid())->read();
  ASSERT_TRUE(call);
  EXPECT_EQ(subject.unwind_sleeping(child.pid(), *call), UnwindEnd::complete);
  EXPECT_EQ(subject.copy().system_call(), call->number);
  const target::Pause pause = subject.stop(child.pid());
  expect_equal(subject, oracle.unwind(child.pid()));
}

INSTANTIATE_TEST_SUITE_P(Unwinder, SleepingStack, testing::Values("nanosleep", "read", "poll"));

TEST(Unwinder, CopiesNoMoreOfTheStackThanIsInUse) {
  const TestChild child = start("spin");
  Subject subject(child.pid());
  const target::Pause pause = subject.stop(child.pid());
  ASSERT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
  const StackView first = subject.copy().stack();
  const std::vector<Frame> frames = subject.frames();
  ASSERT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
  EXPECT_EQ(subject.frames(), frames);
  EXPECT_LT(subject.copy().stack().bytes.size(), first.bytes.size());
  EXPECT_EQ(subject.copy().stack().end(), frames.back().end + 64);
  subject.copy().learn(UnwindEnd::truncated, frames);
  ASSERT_EQ(subject.unwind_stopped(child.pid()), UnwindEnd::complete);
  EXPECT_EQ(subject.copy().stack().end(), first.end());
}

// --- stops at any moment

struct Tally {
  std::size_t complete = 0;
  std::size_t guessed = 0;
  std::size_t other = 0;
  std::size_t calls = 0;
  std::set<std::uint64_t> places = {};  // where it was stopped
};

// What was found by the tables must be the truth to the last word, and all of it if it is complete. A guess may be
// wrong, as libdwfl's may: in the first instruction of a function the frame pointer is still its caller's. And where
// there is no table, libdwfl guesses even where we know the caller for certain, as at a `ret`.
//
// Before each stop it runs for a random part of `turn`, in CPU time: of a process that waits for its turn, every stop
// would be the same.
Tally compare_at_random(pid_t pid, int stops, Nanoseconds turn) {
  Subject subject(pid);
  DwflOracle oracle(pid);
  Tally tally;
  std::minstd_rand random(1);
  for (int i = 0; i < stops && !testing::Test::HasFailure(); ++i) {
    target::let_run(pid, random() % turn);
    const target::Pause pause = subject.stop(pid);
    const UnwindEnd end = subject.unwind_stopped(pid);
    DwflOracle::Stack truth = oracle.unwind(pid);
    std::vector<DwflOracle::Call> calls = subject.calls();
    tally.calls += calls.size();
    if (!calls.empty()) tally.places.insert(calls.front().pc);
    const auto guessed = std::find_if(subject.frames().begin(), subject.frames().end(),
                                      [&](const Frame& frame) { return frame.guessed || !subject.has_row(frame.pc); });
    const bool whole = end == UnwindEnd::complete && guessed == subject.frames().end();
    ++(end != UnwindEnd::complete ? tally.other : whole ? tally.complete : tally.guessed);
    if (!whole) {
      const auto sure = static_cast<std::size_t>(guessed - subject.frames().begin());
      calls.resize(std::min(calls.size(), sure + 1));
      truth.calls.resize(std::min(truth.calls.size(), calls.size()));
    }
    EXPECT_TRUE(calls == truth.calls) << "ours:\n" << text_of(calls) << "libdwfl's:\n" << text_of(truth.calls);
    EXPECT_TRUE(!whole || truth.complete);
  }
  std::printf("%d stops at %zu places: %zu complete, %zu guessed, %zu incomplete, %.1f calls each\n", stops,
              tally.places.size(), tally.complete, tally.guessed, tally.other,
              static_cast<double>(tally.calls) / stops);
  return tally;
}

TEST(Unwinder, AgreesWithLibdwflAtAnyMoment) {
  const TestChild child = start("mix");
  const int stops = times(500, 2000);
  const Tally tally = compare_at_random(child.pid(), stops, 300'000);
  // Less than one in a thousand is in code without tables; and if it always stood still at the same few places, it
  // would not be any moment.
  EXPECT_GT(tally.complete, static_cast<std::size_t>(stops) * 19 / 20);
  EXPECT_GT(tally.places.size(), 40u);
}

TEST(Unwinder, AgreesWithLibdwflAboutPython) {
  const std::string python = "/usr/bin/python3";
  if (access(python.c_str(), X_OK) != 0) GTEST_SKIP() << "there is no " << python;
  const TestChild child = TestChild::exec({python, "-c", R"(
import json, re, sys, zlib
sys.stdout.write("r"); sys.stdout.flush()
data = [{"name": str(i), "value": i * 1.5, "list": list(range(20))} for i in range(200)]
while True:
    text = json.dumps(sorted(data, key=lambda item: sorted(item["list"], key=lambda n: -n)[0] + item["value"]))
    zlib.decompress(zlib.compress(text.encode()))
    json.loads(text, object_hook=lambda item: item)
    re.sub(r"\d+", lambda match: str(len(match.group())), text)
)"});
  const int stops = times(400, 1500);
  const Tally tally = compare_at_random(child.pid(), stops, 500'000);
  EXPECT_GT(tally.complete, static_cast<std::size_t>(stops) * 15 / 16);
  EXPECT_GT(tally.places.size(), 120u);
}

}  // namespace
}  // namespace flametap::native

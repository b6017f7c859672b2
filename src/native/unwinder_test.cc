// Stacks of live programs, each compared call by call with what libdwfl finds in the same stopped process.
#include "native/unwinder.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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

TestChild start(const std::string& way) { return TestChild::exec({FLAMETAP_NATIVE_STACKS, way}); }

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
                         testing::Values("spin", "aligned", "signal", "frame_pointer", "generated", "nanosleep", "read",
                                         "poll"));

}  // namespace
}  // namespace flametap::native

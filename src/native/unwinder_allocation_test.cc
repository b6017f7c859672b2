// The hot path allocates nothing once it has met a thread and its code.
#include <gtest/gtest.h>

#include <vector>

#include "base/test_allocations.h"
#include "base/test_paths.h"
#include "native/unwinder.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "target/test_child.h"
#include "target/test_spinner.h"

namespace flametap::native {
namespace {

TEST(Unwinder, AllocatesNothingOnceWarm) {
  const target::TestChild child = target::TestChild::exec({in_build("src/native/native_program_stacks"), "signal"});
  const target::Process process = std::move(*target::Process::open(child.pid()));
  target::ProcessMemory memory(child.pid());
  BinaryCache binaries;
  AddressSpace space = std::move(*AddressSpace::open(process, memory, binaries));
  target::Pauser pauser(child.pid());
  StackCopy copy;
  Unwinder unwinder;
  std::vector<Frame> frames;
  const target::Pause pause = pauser.stop(child.pid(), target::kLong);
  ASSERT_TRUE(pause);
  std::vector<std::size_t> counts;
  counts.reserve(3);
  for (int i = 0; i < 3; ++i) {
    const std::size_t before = allocation_count;
    ASSERT_EQ(copy.capture_stopped(child.pid(), memory, space), CaptureStatus::ok);
    ASSERT_EQ(unwinder.unwind(copy, space, frames), UnwindEnd::complete);
    counts.push_back(allocation_count - before);
  }
  EXPECT_GT(counts[0], 0u);
  EXPECT_EQ(counts[1], 0u);
  EXPECT_EQ(counts[2], 0u);
}

}  // namespace
}  // namespace flametap::native

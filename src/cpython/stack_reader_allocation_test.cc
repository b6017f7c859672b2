// Reading a stack allocates nothing, with every layout that we know, once the reader has learned where it is.
#include <gtest/gtest.h>

#include <string>

#include "base/test_allocations.h"
#include "cpython/every_layout.h"
#include "cpython/fake_interpreter.h"
#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

// FakeMemory keeps a list of what is read: what it allocates is not the reader's.
class UncountedMemory final : public target::Memory {
 public:
  explicit UncountedMemory(target::Memory& memory) : memory_(memory) {}

  using Memory::read;
  [[nodiscard]] target::ReadResult read(std::span<const target::Segment> segments) override {
    const std::size_t before = allocation_count;
    const target::ReadResult result = memory_.read(segments);
    allocation_count = before;
    return result;
  }

 private:
  target::Memory& memory_;
};

class StackReaderAllocationTest : public testing::TestWithParam<const Layout*> {
 protected:
  StackReaderAllocationTest() : python_(*GetParam()), thread_(python_.add_thread(0x7000, 42)) {
    for (int i = 0; i < kDepth; ++i) {
      if (i % 8 == 0 && GetParam()->first_shim_owner != 255) python_.call_shim(thread_);
      python_.call(thread_, python_.make_code("f" + std::to_string(i), "file.py", 10 * i + 1), 2 * i);
    }
  }

  void learn() {
    Reading reading = reader_.read();
    for (int i = 0; i < 5 && reading != Reading::verified; ++i) {
      reader_.learn();
      reading = reader_.read();
    }
    ASSERT_EQ(reading, Reading::verified);
  }

  static constexpr int kDepth = 100;
  FakeInterpreter python_;
  FakeInterpreter::Thread& thread_;
  UncountedMemory memory_{python_.memory()};
  CodeCache codes_{python_.layout()};
  StackReader reader_{memory_, python_.layout(), codes_, thread_.state, {}};
};

TEST_P(StackReaderAllocationTest, AllocatesNothingOnceItHasLearned) {
  std::size_t before = allocation_count;
  learn();
  EXPECT_GT(allocation_count, before);
  before = allocation_count;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(reader_.read(), Reading::verified);
    ASSERT_EQ(reader_.read_running(), Reading::verified);
  }
  EXPECT_EQ(allocation_count, before);
  EXPECT_EQ(reader_.frames().size(), std::size_t{kDepth});
}

TEST_P(StackReaderAllocationTest, AllocatesNothingWhenItFindsTheThreadElsewhere) {
  learn();
  python_.return_from(thread_);
  python_.call(thread_, python_.make_code("unknown", "file.py", 1));
  const std::size_t before = allocation_count;
  EXPECT_EQ(reader_.read(), Reading::unknown);
  EXPECT_EQ(allocation_count, before);
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, StackReaderAllocationTest, testing::ValuesIn(every_layout()), layout_name);

}  // namespace
}  // namespace flametap::cpython

#include "target/pthread_ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "target/fake_memory.h"

namespace flametap::target {
namespace {

using testing::IsEmpty;

constexpr std::array<std::uint64_t, 2> kDescriptors = {0x10000, 0x20000};
constexpr std::array<pid_t, 2> kTids = {70, 71};
constexpr std::uint64_t kPlace = 720;  // as in glibc

class PthreadIds : public testing::Test {
 protected:
  PthreadIds() {
    for (std::size_t i = 0; i < kDescriptors.size(); ++i) {
      memory_.map(Address{kDescriptors[i]}, 2048);
      memory_.put(Address{kDescriptors[i]} + kPlace, kTids[i]);
      memory_.put(Address{kDescriptors[i]} + kPlace + 4, kTids[0]);  // of the process, as older ones have it, too
    }
  }
  std::map<std::uint64_t, PthreadId> ids() { return kernel_ids(memory_, kDescriptors, kTids); }

  FakeMemory memory_;
};

TEST_F(PthreadIds, TellsThemAndWhereTheyStand) {
  const auto found = ids();
  ASSERT_EQ(found.size(), 2u);
  for (std::size_t i = 0; i < kDescriptors.size(); ++i) {
    EXPECT_EQ(found.at(kDescriptors[i]).inner_tid, kTids[i]);
    EXPECT_EQ(found.at(kDescriptors[i]).place, Address{kDescriptors[i]} + kPlace);
  }
}

TEST_F(PthreadIds, LeavesOutOneThatEnded) {
  memory_.put(Address{kDescriptors[0]} + kPlace, pid_t{0});
  const auto found = ids();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.at(kDescriptors[1]).inner_tid, kTids[1]);
}

TEST_F(PthreadIds, LeavesOutWhatCannotBeRead) {
  memory_.unmap(Address{kDescriptors[1]}, 2048);
  EXPECT_EQ(ids().size(), 1u);
  memory_.unmap(Address{kDescriptors[0]}, 2048);
  EXPECT_THAT(ids(), IsEmpty());
}

}  // namespace
}  // namespace flametap::target

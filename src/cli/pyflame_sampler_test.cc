#include "cli/pyflame_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

using target::Address;
using target::kNull;
using testing::ElementsAre;
using testing::Optional;

using Line = PyflameLog::LineId;
constexpr Line kIdle = PyflameLog::kIdle;
constexpr Line kFailed = PyflameLog::kFailed;
constexpr Address kA{0xa0};
constexpr Address kB{0xb0};
constexpr Line kStackA{10};
constexpr Line kStackB{11};

std::optional<std::vector<Line>> holders(const std::vector<PyflameThread>& tick) { return lines_of_gil_holders(tick); }
std::vector<Line> all(const std::vector<PyflameThread>& tick) { return lines_of_all(tick); }

TEST(PyflameSamplerTest, NobodyHoldsTheGil) {
  EXPECT_THAT(holders({}), Optional(ElementsAre(kIdle)));
  EXPECT_THAT(holders({{kA, kNull, kNull, kStackA}, {kB, kNull, kNull, kStackB}}), Optional(ElementsAre(kIdle)));
}

TEST(PyflameSamplerTest, TheHolder) {
  EXPECT_THAT(holders({{kA, kNull, kB, kStackA}, {kB, kNull, kB, kStackB}}), Optional(ElementsAre(kStackB)));
}

TEST(PyflameSamplerTest, TheGilChangesHandsWhileTheThreadsAreRead) {
  EXPECT_THAT(holders({{kA, kNull, kB, kStackA}, {kB, kNull, kA, kStackB}}), Optional(ElementsAre(kStackB)))
      << "nobody held it when it was itself read";
  EXPECT_THAT(holders({{kA, kNull, kA, kStackA}, {kB, kNull, kB, kStackB}}), Optional(ElementsAre(kStackA)))
      << "both held it when they were read";
  EXPECT_THAT(holders({{kA, kNull, kNull, kStackA}, {kB, kNull, kB, kStackB}}), Optional(ElementsAre(kIdle)));
}

TEST(PyflameSamplerTest, AHolderWithoutFramesIsIdle) {
  EXPECT_THAT(holders({{kA, kNull, kA, kIdle}}), Optional(ElementsAre(kIdle)));
}

TEST(PyflameSamplerTest, OnlyAHolderThatIsTornCounts) {
  EXPECT_THAT(holders({{kA, kNull, kA, kFailed}}), Optional(ElementsAre(kFailed)));
  EXPECT_THAT(holders({{kA, kNull, kB, kFailed}, {kB, kNull, kB, kStackB}}), Optional(ElementsAre(kStackB)));
  EXPECT_THAT(holders({{kA, kNull, kNull, kFailed}}), Optional(ElementsAre(kIdle)));
}

TEST(PyflameSamplerTest, AHolderThatIsNotInTheListYet) { EXPECT_EQ(holders({{kA, kNull, kB, kStackA}}), std::nullopt); }

TEST(PyflameSamplerTest, EachGilHasItsHolder) {
  constexpr Address kGil1{1};
  constexpr Address kGil2{2};
  EXPECT_THAT(holders({{kA, kGil1, kA, kStackA}, {kB, kGil2, kB, kStackB}}), Optional(ElementsAre(kStackA, kStackB)));
  EXPECT_THAT(holders({{kA, kGil1, kNull, kStackA}, {kB, kGil2, kB, kStackB}}), Optional(ElementsAre(kStackB)));
  EXPECT_THAT(holders({{kA, kGil1, kNull, kStackA}, {kB, kGil2, kNull, kStackB}}), Optional(ElementsAre(kIdle)));
}

TEST(PyflameSamplerTest, AllThreads) {
  EXPECT_THAT(all({}), ElementsAre(kIdle));
  EXPECT_THAT(all({{kA, kNull, kNull, kIdle}}), ElementsAre(kIdle));
  EXPECT_THAT(all({{kA, kNull, kNull, kStackA}, {kB, kNull, kNull, kIdle}}), ElementsAre(kStackA));
  EXPECT_THAT(all({{kA, kNull, kB, kStackA}, {kB, kNull, kB, kFailed}}), ElementsAre(kStackA, kFailed));
}

}  // namespace
}  // namespace flametap::cli

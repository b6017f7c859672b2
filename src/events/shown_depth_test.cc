#include "events/shown_depth.h"

#include <gtest/gtest.h>

#include <vector>

namespace flametap::events {
namespace {

const Thread kThread{.pid = 1, .tid = 1, .program = "python3", .name = ""};

std::int32_t shown(ShownDepth& depths, Kind kind, std::int32_t depth) {
  Event event;
  event.kind = kind;
  event.thread = &kThread;
  event.depth = depth;
  depths.set(event);
  return event.depth;
}

TEST(ShownDepth, CountsShownCallsOnly) {
  ShownDepth depths;
  EXPECT_EQ(shown(depths, Kind::call, 3), 0);
  EXPECT_EQ(shown(depths, Kind::call, 7), 1);
  EXPECT_EQ(shown(depths, Kind::line, 8), 2);
  EXPECT_EQ(shown(depths, Kind::call_end, 7), 1);
  EXPECT_EQ(shown(depths, Kind::call_end, 3), 0);
}

TEST(ShownDepth, KnowsWhatIsOverThoughItsEndWasLost) {
  ShownDepth depths;
  EXPECT_EQ(shown(depths, Kind::call, 0), 0);
  EXPECT_EQ(shown(depths, Kind::call, 4), 1);
  EXPECT_EQ(shown(depths, Kind::call, 2), 1);  // so the one at 4 is over
  EXPECT_EQ(shown(depths, Kind::call, 0), 0);
}

TEST(ShownDepth, BeginsAnewWithAThread) {
  ShownDepth depths;
  EXPECT_EQ(shown(depths, Kind::call, 0), 0);
  shown(depths, Kind::thread_end, 0);
  EXPECT_EQ(shown(depths, Kind::call, 5), 0);
}

}  // namespace
}  // namespace flametap::events

#include "tracer/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flametap::tracer {
namespace {

using Probe = Probes::Probe;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(WatchTest, EndsAreWatchedBeforeTheirBeginnings) {
  EXPECT_THAT(Watch::probes_for({.groups = {EventGroup::call}}), ElementsAre(Probe::call_end, Probe::call));
  EXPECT_THAT(Watch::probes_for({.groups = {EventGroup::gc}}), ElementsAre(Probe::gc_done, Probe::gc_start));
  EXPECT_THAT(Watch::probes_for({.groups = {EventGroup::import}}),
              ElementsAre(Probe::import_done, Probe::import_start));
}

TEST(WatchTest, TheOrderOfTheWishesDoesNotMatter) {
  const std::vector<EventGroup> backwards(kEventGroups.rbegin(), kEventGroups.rend());
  EXPECT_THAT(Watch::probes_for({.groups = backwards}),
              ElementsAre(Probe::call_end, Probe::call, Probe::line, Probe::gc_done, Probe::gc_start,
                          Probe::import_done, Probe::import_start, Probe::audit));
}

TEST(WatchTest, WithinAFunctionCallsAreWatchedToo) {
  EXPECT_THAT(Watch::probes_for({.groups = {EventGroup::audit}, .within = true}),
              ElementsAre(Probe::call_end, Probe::call, Probe::audit));
  EXPECT_THAT(Watch::probes_for({.groups = {EventGroup::call}, .within = true}),
              ElementsAre(Probe::call_end, Probe::call));
}

TEST(WatchTest, CountingIsAllThatIsDone) {
  EXPECT_THAT(Watch::probes_for({.groups = {EventGroup::call}, .counting = true}),
              ElementsAre(Probe::count_calls, Probe::count_call_ends));
}

TEST(WatchTest, NothingWanted) { EXPECT_THAT(Watch::probes_for({.groups = {}}), IsEmpty()); }

TEST(WatchTest, EveryProbeIsOfAMarkerOfItsGroup) {
  for (const EventGroup group : kEventGroups) {
    for (const Probe probe : Watch::probes_for({.groups = {group}})) {
      const MarkerKind* const kind = find_marker_kind(Probes::marker_of(probe));
      ASSERT_NE(kind, nullptr);
      EXPECT_EQ(kind->group, group);
    }
  }
}

}  // namespace
}  // namespace flametap::tracer

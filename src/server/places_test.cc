#include "server/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flametap::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Standing = Places::Standing;

class PlacesTest : public testing::Test {
 protected:
  // 0: turned away.
  Places::Id enter(const std::string& peer) {
    const Places::Id number = ++entered_;
    const auto id = places_.enter(peer, [this, number] { gave_way_.push_back(number); });
    return id.value_or(0);
  }

  Places places_{{.all = 4, .fresh_per_peer = 2}};
  Places::Id entered_ = 0;
  std::vector<Places::Id> gave_way_;
};

TEST_F(PlacesTest, TheOldestOfAPeerGivesWayToAnotherOfThatPeer) {
  for (const char* peer : {"a", "b", "a"}) EXPECT_NE(enter(peer), 0U);
  EXPECT_THAT(gave_way_, IsEmpty());
  EXPECT_NE(enter("a"), 0U);
  EXPECT_THAT(gave_way_, ElementsAre(1));
  EXPECT_NE(enter("b"), 0U);
  EXPECT_THAT(gave_way_, ElementsAre(1));
}

TEST_F(PlacesTest, WhatHasSentAHeadDoesNotCountForItsPeer) {
  for (int i = 0; i < 4; ++i) {
    const Places::Id proxied = enter("proxy");
    places_.set(proxied, i % 2 == 0 ? Standing::busy : Standing::spare);
  }
  EXPECT_THAT(gave_way_, IsEmpty());
}

TEST_F(PlacesTest, WhenAllPlacesAreTakenTheOldestThatIsNotBusyGivesWay) {
  places_.set(enter("a"), Standing::busy);
  places_.set(enter("b"), Standing::spare);
  for (const char* peer : {"c", "d", "e", "f"}) EXPECT_NE(enter(peer), 0U);
  EXPECT_THAT(gave_way_, ElementsAre(2, 3));
}

TEST_F(PlacesTest, WhatWasBusyIsAsGoodAsNew) {
  const Places::Id first = enter("a");
  for (const char* peer : {"b", "c", "d"}) EXPECT_NE(enter(peer), 0U);
  places_.set(first, Standing::busy);
  places_.set(first, Standing::spare);
  for (const char* peer : {"e", "f", "g"}) EXPECT_NE(enter(peer), 0U);
  EXPECT_THAT(gave_way_, ElementsAre(2, 3, 4));
}

TEST_F(PlacesTest, WhatIsBusyDoesNotGiveWay) {
  std::vector<Places::Id> ids;
  for (const char* peer : {"a", "b", "c", "d"}) places_.set(ids.emplace_back(enter(peer)), Standing::busy);
  EXPECT_EQ(enter("e"), 0U);
  EXPECT_THAT(gave_way_, IsEmpty());
  places_.leave(ids.front());
  places_.leave(ids.front());
  EXPECT_NE(enter("e"), 0U);
  EXPECT_NE(enter("f"), 0U);
  EXPECT_THAT(gave_way_, ElementsAre(6));
}

TEST_F(PlacesTest, WhatGaveWayHasNoPlace) {
  const Places::Id first = enter("a");
  enter("a");
  enter("a");
  places_.set(first, Standing::busy);
  places_.leave(first);
  EXPECT_NE(enter("b"), 0U);
  EXPECT_NE(enter("b"), 0U);
  EXPECT_THAT(gave_way_, ElementsAre(1));
}

TEST(NetworkOf, IsHalfOfAnAddressOfIpv6) {
  EXPECT_EQ(network_of("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(network_of("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(network_of("2001:db8:1:2::9"), "2001:db8:1:2::");
  EXPECT_EQ(network_of("fe80::1%eth0"), "fe80::");
  EXPECT_EQ(network_of(""), "");
}

}  // namespace
}  // namespace flametap::server

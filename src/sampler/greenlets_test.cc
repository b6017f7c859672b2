#include "sampler/greenlets.h"

#include <gtest/gtest.h>

#include <vector>

namespace flametap::sampler {
namespace {

constexpr Home kPython = Home::interpreter;
constexpr Home kLibc = Home::c_library;

TEST(Greenlets, KnowsTheLibraryByItsFile) {
  EXPECT_TRUE(switches_greenlets("_greenlet.cpython-313-x86_64-linux-gnu.so"));
  EXPECT_TRUE(switches_greenlets("greenlet.so"));
  EXPECT_FALSE(switches_greenlets("_gevent_cgreenlet.cpython-38-x86_64-linux-gnu.so"));
  EXPECT_FALSE(switches_greenlets("libc.so.6"));
}

TEST(Greenlets, KnowsWhereOneBegins) {
  EXPECT_TRUE(starts_greenlet("g_initialstub"));
  EXPECT_TRUE(starts_greenlet("_ZN8greenlet12UserGreenlet13g_initialstubEPv"));
  EXPECT_TRUE(starts_greenlet("_ZN8greenlet12UserGreenlet15inner_bootstrapEPNS_8GreenletEP7_object"));
  EXPECT_FALSE(starts_greenlet("green_switch"));
}

TEST(Greenlets, WhatIsFurtherOutThanTheBeginningIsOfOthers) {
  const std::vector<Home> homes = {kLibc, kPython, Home::greenlet_start, Home::greenlet_start, Home::greenlet, kPython};
  const GreenletStack stack = running_greenlet(homes);
  EXPECT_EQ(stack.length, 3U);
  EXPECT_FALSE(stack.switching);
}

TEST(Greenlets, AnOrdinaryCallOfTheLibraryIsNoBeginning) {
  const std::vector<Home> homes = {kPython, Home::greenlet, kPython, Home::greenlet_start, kPython};
  EXPECT_EQ(running_greenlet(homes).length, 4U);
  EXPECT_EQ(running_greenlet(std::vector<Home>{kPython, Home::other, kLibc}).length, 3U);
}

TEST(Greenlets, WhileTheStackIsCopiedNothingFits) {
  EXPECT_TRUE(running_greenlet(std::vector<Home>{kLibc, Home::greenlet, kPython}).switching);
  EXPECT_TRUE(running_greenlet(std::vector<Home>{Home::greenlet_start, Home::greenlet, kPython}).switching);
  EXPECT_FALSE(running_greenlet(std::vector<Home>{kPython, Home::greenlet, kPython}).switching);
  EXPECT_FALSE(running_greenlet({}).switching);
}

}  // namespace
}  // namespace flametap::sampler

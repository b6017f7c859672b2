#include "tracer/abilities.h"

#include <gtest/gtest.h>

#include <set>

namespace flametap::tracer {
namespace {

using cpython::Version;

const std::vector<std::string> kAll{
    "function__entry", "function__return",          "line",  "gc__start",
    "gc__done",        "import__find__load__start", "audit", "import__find__load__done"};
const std::vector<std::string> kSince312{"gc__start", "gc__done", "import__find__load__start",
                                         "import__find__load__done", "audit"};

MarkedFile file_with(const std::vector<std::string>& names, const std::string& path = "/opt/app") {
  MarkedFile file{.path = path};
  for (const std::string& name : names) file.markers.push_back({.name = name});
  return file;
}

std::string available(const Abilities& abilities) {
  std::string names;
  for (const Ability& ability : abilities.all) {
    if (ability.available) names += std::string(names.empty() ? "" : ",") + std::string(to_string(ability.group));
  }
  return names;
}

TEST(Abilities, AllMarkersGiveAllEvents) {
  for (const Version version : {Version{3, 8, 1}, Version{3, 10, 13}}) {
    const Abilities abilities = tell_abilities(file_with(kAll), version);
    EXPECT_EQ(available(abilities), "call,line,gc,import,audit");
    EXPECT_FALSE(abilities.needs_arming);
    for (const Ability& ability : abilities.all) EXPECT_EQ(ability.why, "");
  }
}

TEST(Abilities, ADebugBuildOf311IsLeftAlone) {
  MarkedFile file = file_with(kAll);
  file.debug_build = true;
  EXPECT_EQ(available(tell_abilities(file, Version{3, 11, 2})), "gc,import,audit");
  EXPECT_FALSE(tell_abilities(file, Version{3, 11, 2}).needs_arming);
  EXPECT_EQ(available(tell_abilities(file, Version{3, 9, 2})), "call,line,gc,import,audit");
}

TEST(Abilities, NothingWithoutMarkers) {
  const Abilities abilities = tell_abilities(file_with({}), Version{3, 12, 1});
  EXPECT_EQ(available(abilities), "");
  for (const Ability& ability : abilities.all) {
    EXPECT_EQ(ability.why, "this Python was built without markers (--with-dtrace)");
  }
}

TEST(Abilities, From312To314ThereAreNoCallsAndLines) {
  for (const int minor : {12, 13, 14}) {
    const Abilities abilities = tell_abilities(file_with(kSince312), Version{3, minor, 2});
    EXPECT_EQ(available(abilities), "gc,import,audit");
    EXPECT_EQ(abilities[EventGroup::call].why, "CPython 3.12 to 3.14 have no function markers");
    EXPECT_EQ(abilities[EventGroup::line].why, "CPython has no line marker since 3.12");
    EXPECT_FALSE(abilities.needs_arming);
  }
}

TEST(Abilities, From315OnThereAreCallsAgain) {
  std::vector<std::string> names = kSince312;
  names.insert(names.end(), {"function__entry", "function__return"});
  const Abilities abilities = tell_abilities(file_with(names), Version{3, 15, 0});
  EXPECT_EQ(available(abilities), "call,gc,import,audit");
  EXPECT_EQ(abilities[EventGroup::line].why, "CPython has no line marker since 3.12");
  EXPECT_FALSE(abilities.needs_arming);
}

TEST(Abilities, On311CallsNeedTheLineMarker) {
  const Abilities abilities = tell_abilities(file_with(kAll), Version{3, 11, 2});
  EXPECT_EQ(available(abilities), "call,line,gc,import,audit");
  EXPECT_TRUE(abilities.needs_arming);
  EXPECT_NE(abilities[EventGroup::call].why.find("line marker is armed"), std::string::npos);

  const Abilities without = tell_abilities(file_with({"function__entry", "function__return"}), Version{3, 11, 2});
  EXPECT_EQ(available(without), "");
  EXPECT_FALSE(without.needs_arming);
}

TEST(Abilities, WithoutAVersionTheNameOfTheFileTells) {
  for (const char* const path : {"/usr/bin/python3.11", "/usr/lib/libpython3.11.so.1.0", "/usr/bin/python3.11-dbg"}) {
    EXPECT_TRUE(tell_abilities(file_with(kAll, path), std::nullopt).needs_arming) << path;
  }
  for (const char* const path : {"/usr/bin/python3.9", "/opt/app", "/usr/lib/libpython3.15.so.1.0"}) {
    EXPECT_FALSE(tell_abilities(file_with(kAll, path), std::nullopt).needs_arming) << path;
  }
  // What runs knows better than a name.
  EXPECT_FALSE(tell_abilities(file_with(kAll, "/usr/bin/python3.11"), Version{3, 10, 0}).needs_arming);
}

TEST(Abilities, WhatABuildLacksIsNamed) {
  const Abilities abilities = tell_abilities(file_with({"function__return", "gc__start", "line"}), std::nullopt);
  EXPECT_EQ(available(abilities), "line");
  EXPECT_EQ(abilities[EventGroup::call].why, "this build has no function__entry");
  EXPECT_EQ(abilities[EventGroup::gc].why, "this build has no gc__done");
  EXPECT_EQ(abilities[EventGroup::import].why,
            "this build has no import__find__load__start and import__find__load__done");
}

TEST(Abilities, OldVersionsLackImportAndAudit) {
  const std::vector<std::string> names{"function__entry", "function__return", "line", "gc__start", "gc__done"};
  const Abilities abilities = tell_abilities(file_with(names), Version{3, 6, 15});
  EXPECT_EQ(available(abilities), "call,line,gc");
  EXPECT_EQ(abilities[EventGroup::import].why, "the import markers came with CPython 3.7");
  EXPECT_EQ(abilities[EventGroup::audit].why, "the audit marker came with CPython 3.8");
}

TEST(Abilities, EveryKindOfMarkerHasAGroupAndArguments) {
  std::set<std::string_view> names;
  for (const MarkerKind& kind : marker_kinds()) {
    names.insert(kind.name);
    EXPECT_EQ(find_marker_kind(kind.name), &kind);
    EXPECT_FALSE(kind.arguments.empty());
  }
  EXPECT_EQ(names.size(), marker_kinds().size());
  EXPECT_EQ(find_marker_kind("method__entry"), nullptr);
  for (const EventGroup group : kEventGroups) EXPECT_EQ(event_group_named(to_string(group)), group);
  EXPECT_EQ(event_group_named("calls"), std::nullopt);
}

}  // namespace
}  // namespace flametap::tracer

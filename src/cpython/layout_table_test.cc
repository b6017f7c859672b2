#include "cpython/layout_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace flametap::cpython {
namespace {

TEST(LayoutTable, HasEveryVersionThatDoesNotDescribeItself) {
  for (const bool trace_refs : {false, true}) {
    for (const Version version :
         {Version{2, 7, 18}, Version{3, 6, 0}, Version{3, 7, 0}, Version{3, 7, 16}, Version{3, 8, 18}, Version{3, 9, 2},
          Version{3, 10, 13}, Version{3, 11, 2}, Version{3, 12, 250}}) {
      const Layout* layout = find_layout(version, trace_refs);
      ASSERT_NE(layout, nullptr) << to_string(version);
      EXPECT_EQ(layout->version.minor, version.minor);
      EXPECT_LE(layout->version, version);
      EXPECT_EQ(layout->trace_refs, trace_refs);
      EXPECT_EQ(layout->object.type, trace_refs ? 24u : 8u);
    }
  }
}

TEST(LayoutTable, KnowsStructsThatChangedWithinAMinorVersion) {
  EXPECT_EQ(find_layout({3, 7, 3}, false)->runtime.current_thread, 1392u);
  EXPECT_EQ(find_layout({3, 7, 4}, false)->runtime.current_thread, 1480u);
  EXPECT_EQ(find_layout({3, 7, Version::kUnknownMicro}, false)->runtime.current_thread, 1480u);
}

TEST(LayoutTable, RefusesWhatItDoesNotKnow) {
  for (const Version version : {Version{2, 6, 9}, Version{3, 0, 0}, Version{3, 5, 9}, Version{3, 13, 0},
                                Version{3, 16, 0}, Version{4, 0, 0}, Version{}}) {
    EXPECT_EQ(find_layout(version, false), nullptr) << to_string(version);
  }
}

TEST(LayoutTable, KnowsWhoDescribesItself) {
  EXPECT_FALSE(find_self_described({3, 12, 9}, false).has_value());
  EXPECT_FALSE(find_self_described({4, 0, 0}, false).has_value());
  for (const bool free_threaded : {false, true}) {
    const auto known = find_self_described({3, 14, 1}, free_threaded);
    ASSERT_TRUE(known.has_value());
    EXPECT_TRUE(known->exact);
    EXPECT_EQ(known->shape->version, (Version{3, 14, 0}));
    EXPECT_EQ(known->row->version, (Version{3, 14, 0}));
    EXPECT_EQ(known->row->free_threaded, free_threaded);
  }
  const auto newer = find_self_described({3, 99, 0}, false);
  ASSERT_TRUE(newer.has_value());
  EXPECT_FALSE(newer->exact);
}

TEST(LayoutTable, IsSorted) {
  EXPECT_TRUE(std::is_sorted(all_layouts().begin(), all_layouts().end(),
                             [](const Layout& one, const Layout& other) { return one.version < other.version; }));
}

TEST(LayoutTable, SizesCoverTheFields) {
  for (const Layout& layout : all_layouts()) {
    EXPECT_GE(layout.thread.size, layout.thread.thread_id + 8);
    EXPECT_GE(layout.frame.size, layout.frame.instruction + 4);
    EXPECT_GE(layout.code.size, layout.code.line_table + 8);
    EXPECT_GE(layout.code.size, layout.object.type + 8);
    EXPECT_GE(layout.interpreter.size, layout.interpreter.threads_head + 8);
    EXPECT_LT(layout.thread.size, 1024u);
    EXPECT_LE(layout.frame.size, 256u);
    EXPECT_TRUE(layout.frame.owner == kAbsent || layout.frame.size > layout.frame.owner);
    EXPECT_TRUE(layout.thread.stack_top == kAbsent || layout.thread.size >= layout.thread.stack_top + 8);
  }
}

TEST(LayoutTable, TraitsComeWithTheirFields) {
  for (const Layout& layout : all_layouts()) {
    EXPECT_EQ(layout.gil_kind == GilKind::current_thread_field, layout.runtime.current_thread != kAbsent);
    EXPECT_EQ(layout.gil_kind == GilKind::per_interpreter, layout.interpreter.gil != kAbsent);
    EXPECT_EQ(layout.frame_link == FrameLink::cframe, layout.cframe.current_frame != kAbsent);
    EXPECT_EQ(layout.instruction_kind == InstructionKind::unit_pointer, layout.code.instructions != kAbsent);
    EXPECT_EQ(layout.thread.stack_chunk == kAbsent, layout.stack_chunk.data == kAbsent);
  }
}

}  // namespace
}  // namespace flametap::cpython

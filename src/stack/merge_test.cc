#include "stack/merge.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace flametap::stack {
namespace {

// A C stack and a Python stack written as words, the innermost first. "eval" evaluates Python code, words in brackets
// are machinery, each native frame takes 16 bytes of the stack, upwards from 0x1000.
class MergeTest : public testing::Test {
 protected:
  void c_stack(const std::vector<std::string>& names) {
    native_.clear();
    for (const std::string& name : names) {
      const std::uint64_t begin = 0x1000 + 16 * native_.size();
      const Role role = name.starts_with("eval") ? Role::evaluates
                        : name.starts_with("[")  ? Role::machinery
                                                 : Role::other;
      native_.push_back({number(name), role, begin, begin + 16});
    }
  }
  // A run of Python frames, further out than those before it; `runner` is the index of the C function that runs it.
  void python_run(const std::vector<std::string>& names, std::size_t runner) {
    for (const std::string& name : names) python_.push_back({FrameKind::python, number(name), 7});
    runs_.push_back({static_cast<std::uint32_t>(python_.size()), 0x1000 + 16 * runner + 8});
  }

  [[nodiscard]] MergeInput input(bool anchored) const {
    return {.python = python_, .runs = runs_, .native = native_, .anchored = anchored};
  }

  // The merged stack as words, or "unmerged".
  std::string merged(const MergeInput& input) {
    std::vector<Frame> frames{{FrameKind::kernel, 99, 99}};  // must not matter
    if (!Merger().merge(input, frames)) return frames.empty() ? "unmerged" : "leftovers";
    std::string text;
    for (const Frame& frame : frames) text += (text.empty() ? "" : " ") + names_.at(frame.number);
    return text;
  }
  std::string merged_both_ways() {
    const std::string by_anchors = merged(input(true));
    EXPECT_EQ(by_anchors, merged(input(false)));
    return by_anchors;
  }

  std::uint32_t number(const std::string& name) {
    const auto id = static_cast<std::uint32_t>(names_.size());
    names_[id] = name;
    return id;
  }

  std::map<std::uint32_t, std::string> names_;
  std::vector<Frame> python_;
  std::vector<PythonRun> runs_;
  std::vector<NativeFrame> native_;
};

TEST_F(MergeTest, PutsEachRunInPlaceOfTheCallThatRunsIt) {
  c_stack({"compare", "sort", "[vectorcall]", "eval0", "[call]", "key_caller", "eval1", "[main]"});
  python_run({"key", "helper"}, 3);
  python_run({"program"}, 6);
  EXPECT_EQ(merged_both_ways(), "compare sort key helper key_caller program");
}

TEST_F(MergeTest, ShowsMachineryOnRequest) {
  c_stack({"[vectorcall]", "eval0", "[main]"});
  python_run({"f"}, 1);
  MergeInput full = input(true);
  full.show_machinery = true;
  EXPECT_EQ(merged(full), "[vectorcall] f eval0 [main]");
}

TEST_F(MergeTest, ACallThatHasNoFrameYetIsTheInnermost) {
  c_stack({"eval0", "[call]", "eval1", "[call]", "eval2"});
  python_run({"inner"}, 2);
  python_run({"outer"}, 4);
  EXPECT_EQ(merged_both_ways(), "inner outer");
}

TEST_F(MergeTest, WhatACallDoesWhileItEndsIsOurs) {
  c_stack({"check_result", "eval0", "[call]", "callback", "eval1"});
  python_run({"outer"}, 4);
  EXPECT_EQ(merged_both_ways(), "check_result callback outer");
  MergeInput ends = input(false);
  ends.show_machinery = true;
  EXPECT_EQ(merged(ends), "check_result eval0 [call] callback outer eval1");
}

TEST_F(MergeTest, WhereNoCallBeginsOrEndsEachHasItsFrame) {
  c_stack({"library", "eval0", "[call]", "eval1"});
  python_run({"only"}, 3);
  MergeInput settled = input(false);
  EXPECT_EQ(merged(settled), "library only");
  settled.settled = true;
  EXPECT_EQ(merged(settled), "unmerged");
}

TEST_F(MergeTest, ARunMayBeEmptyWhileItsCallEnds) {
  c_stack({"eval0", "callback", "eval1"});
  python_run({}, 0);
  python_run({"outer"}, 2);
  EXPECT_EQ(merged(input(true)), "callback outer");
}

TEST_F(MergeTest, AnEmptyRunThatIsKeptElsewhereIsNobodys) {
  c_stack({"work", "eval0"});
  python_run({"f"}, 1);
  runs_.push_back({1, 0x7fff'0000});
  EXPECT_EQ(merged(input(true)), "work f");
  runs_.insert(runs_.begin(), {0, 0x10});
  EXPECT_EQ(merged(input(true)), "work f");
}

TEST_F(MergeTest, FramesWithoutACallDoNotFit) {
  c_stack({"work", "eval0"});
  python_run({"f"}, 1);
  python_run({"g"}, 9);
  EXPECT_EQ(merged_both_ways(), "unmerged");
}

TEST_F(MergeTest, TwoCallsTooManyDoNotFitByCounting) {
  c_stack({"eval0", "eval1", "eval2"});
  python_run({"f"}, 2);
  EXPECT_EQ(merged(input(false)), "unmerged");
  EXPECT_EQ(merged(input(true)), "f");  // they belong to others
}

TEST_F(MergeTest, AnchorsNeedNoNames) {
  c_stack({"work", "(unknown)", "tail"});
  python_run({"f"}, 1);
  EXPECT_EQ(merged(input(true)), "work f tail");
  EXPECT_EQ(merged(input(false)), "unmerged");
}

TEST_F(MergeTest, AnchorsMustFollowEachOther) {
  c_stack({"eval0", "eval1"});
  python_run({"f"}, 1);
  python_run({"g"}, 0);
  EXPECT_EQ(merged(input(true)), "unmerged");
}

TEST_F(MergeTest, TwoRunsOfOneCallDoNotFit) {
  c_stack({"eval0", "eval1"});
  python_run({"f"}, 1);
  python_run({"g"}, 1);
  EXPECT_EQ(merged(input(true)), "unmerged");
}

TEST_F(MergeTest, BeyondATruncatedCStackPythonGoesOn) {
  c_stack({"work", "eval0", "sort"});
  python_run({"key"}, 1);
  python_run({"middle"}, 40);
  python_run({"program"}, 50);
  MergeInput cut = input(true);
  cut.native_is_whole = false;
  EXPECT_EQ(merged(cut), "work key sort middle program");
  cut.anchored = false;
  EXPECT_EQ(merged(cut), "unmerged");
}

TEST_F(MergeTest, WhereNoCallBeginsOrEndsCountingFromTheInsideWillDo) {
  c_stack({"poll", "eval0", "sort"});
  python_run({"key"}, 1);
  python_run({"middle"}, 40);
  python_run({"program"}, 50);
  MergeInput cut = input(false);
  cut.native_is_whole = false;
  cut.settled = true;
  EXPECT_EQ(merged(cut), "poll key sort middle program");
  cut.native_is_whole = true;
  EXPECT_EQ(merged(cut), "unmerged");
  c_stack({"poll", "eval0", "eval1", "eval2", "eval3"});
  cut = input(false);
  cut.native_is_whole = false;
  cut.settled = true;
  EXPECT_EQ(merged(cut), "unmerged");
}

TEST_F(MergeTest, AnUnknownEndHidesNothing) {
  c_stack({"work", "eval0", "lost"});
  python_run({"f"}, 1);
  native_[2].end = 0;
  MergeInput cut = input(true);
  cut.native_is_whole = false;
  EXPECT_EQ(merged(cut), "work f lost");
}

TEST_F(MergeTest, AThreadWithoutPythonIsNativeOnly) {
  c_stack({"spin", "thread_function", "[start_thread]"});
  EXPECT_EQ(merged_both_ways(), "spin thread_function");
}

TEST_F(MergeTest, WithoutACStackPythonIsLeftOver) {
  python_run({"f"}, 0);
  EXPECT_EQ(merged_both_ways(), "unmerged");
}

TEST_F(MergeTest, OtherInterpretersAreLeftOut) {
  c_stack({"work", "eval0", "[run_string]", "eval1", "[main]"});
  python_run({"in_sub_interpreter"}, 1);
  MergeInput inner = input(false);
  inner.shared = true;
  inner.foreign_outside = 1;
  EXPECT_EQ(merged(inner), "work in_sub_interpreter");
  EXPECT_EQ(merged(input(true)), "work in_sub_interpreter");

  python_.clear();
  runs_.clear();
  python_run({"in_main"}, 3);
  MergeInput outer = input(false);
  outer.shared = true;
  outer.foreign_inside = 1;
  EXPECT_EQ(merged(outer), "in_main");  // the work is the other's
  outer = input(true);
  outer.shared = true;
  EXPECT_EQ(merged(outer), "in_main");
}

TEST_F(MergeTest, AnAnchorOfOthersTellsWhereTheyAreNameless) {
  c_stack({"work", "(unknown)", "run_string", "eval1"});
  python_run({"in_main"}, 3);
  MergeInput outer = input(true);
  outer.shared = true;
  EXPECT_EQ(merged(outer), "work (unknown) run_string in_main");
  outer.foreign_anchor = 0x1000 + 16 + 8;
  EXPECT_EQ(merged(outer), "run_string in_main");

  // Of a C stack that is not whole, neither their calls nor ours may be known.
  runs_.back().anchor = 0x9000;
  outer = input(true);
  outer.shared = true;
  outer.native_is_whole = false;
  outer.foreign_anchor = 0x8000;
  EXPECT_EQ(merged(outer), "in_main");
}

TEST_F(MergeTest, SaysWhetherWhatRunsRightNowIsOurs) {
  c_stack({"work", "eval0", "[run_string]", "eval1", "[main]"});
  python_run({"in_sub_interpreter"}, 1);
  Merger merger;
  std::vector<Frame> frames;
  ASSERT_TRUE(merger.merge(input(true), frames));
  EXPECT_TRUE(merger.reaches_innermost());

  python_.clear();
  runs_.clear();
  python_run({"in_main"}, 3);
  MergeInput outer = input(true);
  outer.shared = true;
  ASSERT_TRUE(merger.merge(outer, frames));
  EXPECT_FALSE(merger.reaches_innermost());
}

TEST_F(MergeTest, RunsThatDoNotCoverTheFramesDoNotFit) {
  c_stack({"eval0"});
  python_run({"f"}, 0);
  python_.push_back({FrameKind::python, number("left over"), 1});
  EXPECT_EQ(merged_both_ways(), "unmerged");
}

}  // namespace
}  // namespace flametap::stack

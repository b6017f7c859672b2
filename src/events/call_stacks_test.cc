#include "events/call_stacks.h"

#include <gtest/gtest.h>

#include <string>

#include "events/test_events.h"

namespace flametap::events {
namespace {

const Thread kOne{.pid = 1, .tid = 1, .program = "python3"};
const Thread kTwo{.pid = 1, .tid = 2, .program = "python3"};

std::string names(std::span<const Span> spans) {
  std::string result;
  for (const Span& span : spans) result += std::string(span.is_call() ? span.function : span.name) + " ";
  return result;
}

std::string told(const CallStacks::Step& step) {
  std::string result;
  for (const ClosedSpan& closed : step.closed) {
    result += closed.span.is_call() ? closed.span.function : closed.span.name;
    result += closed.how == SpanEnd::returned ? "." : closed.how == SpanEnd::lost ? "?" : "|";
  }
  return result + (step.matched ? "" : "-");
}

TEST(CallStacks, CallsAndReturnsWithTheTimeOfChildren) {
  CallStacks stacks;
  stacks.add(call(kOne, 100, 0, "a"));
  stacks.add(call(kOne, 110, 1, "b"));
  EXPECT_EQ(names(stacks.open(&kOne)), "a b ");
  EXPECT_EQ(told(stacks.add(call_end(kOne, 130, 1, "b"))), "b.");
  stacks.add(call(kOne, 140, 1, "b"));
  stacks.add(call_end(kOne, 145, 1, "b"));
  const auto step = stacks.add(call_end(kOne, 200, 0, "a"));
  ASSERT_EQ(step.closed.size(), 1U);
  EXPECT_EQ(step.closed[0].duration(), 100U);
  EXPECT_EQ(step.closed[0].self(), 75U);
  EXPECT_TRUE(stacks.open(&kOne).empty());
}

TEST(CallStacks, RecursionIsOneCallInTheOther) {
  CallStacks stacks;
  for (std::int32_t depth = 0; depth < 4; ++depth) stacks.add(call(kOne, 10, depth, "fib"));
  EXPECT_EQ(told(stacks.add(call_end(kOne, 20, 3, "fib"))), "fib.");
  EXPECT_EQ(told(stacks.add(call(kOne, 30, 3, "fib"))), "-");
  EXPECT_EQ(stacks.open_calls(&kOne), 4U);
  EXPECT_EQ(told(stacks.add(call_end(kOne, 40, 1, "fib"))), "fib?fib?fib.");
}

TEST(CallStacks, AGeneratorIsCalledAtEachResume) {
  CallStacks stacks;
  stacks.add(call(kOne, 0, 0, "main"));
  for (int i = 0; i < 3; ++i) {
    stacks.add(call(kOne, 10, 1, "numbers"));
    EXPECT_EQ(told(stacks.add(call_end(kOne, 12, 1, "numbers"))), "numbers.");
  }
  EXPECT_EQ(names(stacks.open(&kOne)), "main ");
}

TEST(CallStacks, ACallAtTheSameDepthEndsTheOneWhoseEndWasLost) {
  CallStacks stacks;
  stacks.add(call(kOne, 0, 0, "a"));
  stacks.add(call(kOne, 1, 1, "b"));
  stacks.add(call(kOne, 2, 2, "c"));
  EXPECT_EQ(told(stacks.add(after_loss(call(kOne, 9, 1, "d"), 2))), "c?b?-");
  EXPECT_EQ(names(stacks.open(&kOne)), "a d ");
}

TEST(CallStacks, TheEndOfAnotherFunctionEndsTheCallThatWasThereBefore) {
  CallStacks stacks;
  stacks.add(call(kOne, 0, 0, "a"));
  stacks.add(call(kOne, 1, 1, "b"));
  EXPECT_EQ(told(stacks.add(after_loss(call_end(kOne, 9, 1, "other"), 2))), "b?-");
  EXPECT_EQ(names(stacks.open(&kOne)), "a ");
}

TEST(CallStacks, CallsThatBeganBeforeHaveAnEndOnly) {
  CallStacks stacks;
  EXPECT_EQ(told(stacks.add(call_end(kOne, 1, -1, "inner"))), "-");
  stacks.add(call(kOne, 2, -1, "other"));
  EXPECT_EQ(told(stacks.add(call_end(kOne, 3, -1, "other"))), "other.");
  stacks.add(call(kOne, 4, -1, "third"));
  EXPECT_EQ(told(stacks.add(call_end(kOne, 5, -2, "main"))), "third?-");
}

TEST(CallStacks, HiddenCallsLeaveGapsInTheDepth) {
  CallStacks stacks;
  stacks.add(call(kOne, 1, 3, "a"));
  stacks.add(call(kOne, 2, 7, "b"));
  EXPECT_EQ(told(stacks.add(call_end(kOne, 3, 7, "b"))), "b.");
  EXPECT_EQ(told(stacks.add(call_end(kOne, 4, 3, "a"))), "a.");
}

TEST(CallStacks, ThreadsDoNotMindEachOther) {
  CallStacks stacks;
  stacks.add(call(kOne, 1, 0, "a"));
  stacks.add(call(kTwo, 2, 0, "b"));
  EXPECT_EQ(told(stacks.add(call_end(kOne, 3, 0, "a"))), "a.");
  EXPECT_EQ(names(stacks.open(&kTwo)), "b ");
}

TEST(CallStacks, TheEndOfAThreadOrOfTheTraceCutsOff) {
  CallStacks stacks;
  stacks.add(call(kOne, 1, 0, "a"));
  stacks.add(call(kOne, 2, 1, "b"));
  stacks.add(call(kTwo, 2, 0, "c"));
  EXPECT_EQ(told(stacks.add(happened(Kind::thread_end, kOne, 9))), "b|a|-");
  ASSERT_EQ(stacks.threads().size(), 1U);
  EXPECT_EQ(told(stacks.close(*stacks.threads()[0], 10)), "c|-");
  EXPECT_TRUE(stacks.threads().empty());
}

TEST(CallStacks, CollectionsAndImportsAreInsideOfCalls) {
  CallStacks stacks;
  stacks.add(call(kOne, 0, 0, "main"));
  stacks.add(happened(Kind::import_start, kOne, 10, "json"));
  stacks.add(call(kOne, 12, 1, "load"));
  stacks.add(happened(Kind::import_start, kOne, 20, "re"));
  stacks.add(happened(Kind::gc_start, kOne, 22, "", 2));
  EXPECT_EQ(told(stacks.add(happened(Kind::gc_done, kOne, 25, "", 7))), ".");
  EXPECT_EQ(told(stacks.add(happened(Kind::import_done, kOne, 30, "re", 1))), "re.");
  EXPECT_EQ(told(stacks.add(call_end(kOne, 40, 1, "load"))), "load.");
  const auto json = stacks.add(happened(Kind::import_done, kOne, 45, "json", 1));
  ASSERT_EQ(json.closed.size(), 1U);
  EXPECT_EQ(json.closed[0].duration(), 35U);
  EXPECT_EQ(json.closed[0].span.in_imports, 10U);
  const auto end = stacks.add(call_end(kOne, 50, 0, "main"));
  EXPECT_EQ(end.closed[0].self(), 50U - 28U);  // without load; what the import did itself is its own
  EXPECT_EQ(end.closed[0].span.in_imports, 35U);
}

TEST(CallStacks, AnEndWithoutItsBeginningChangesNothing) {
  CallStacks stacks;
  stacks.add(call(kOne, 0, 0, "main"));
  EXPECT_EQ(told(stacks.add(happened(Kind::gc_done, kOne, 1))), "-");
  EXPECT_EQ(told(stacks.add(happened(Kind::import_done, kOne, 1, "x"))), "-");
  EXPECT_EQ(names(stacks.open(&kOne)), "main ");
}

TEST(CallStacks, WhatIsTooDeepIsCounted) {
  CallStacks stacks;
  const auto limit = static_cast<std::int32_t>(CallStacks::kMaxOpen);
  for (std::int32_t depth = 0; depth < limit + 10; ++depth) stacks.add(call(kOne, 1, depth, "f"));
  EXPECT_EQ(stacks.open(&kOne).size(), CallStacks::kMaxOpen);
  EXPECT_EQ(stacks.too_deep(), 10U);
  EXPECT_EQ(told(stacks.add(call_end(kOne, 2, limit + 9, "f"))), "-");
  EXPECT_EQ(told(stacks.add(call_end(kOne, 2, limit - 1, "f"))), "f.");
}

}  // namespace
}  // namespace flametap::events

#include "cpython/cframes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cpython/every_layout.h"
#include "cpython/fake_interpreter.h"
#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

using target::Address;

// An evaluation of `key`, which C code runs for `caller`.
class EvaluationTest : public testing::TestWithParam<const Layout*> {
 protected:
  EvaluationTest() : python_(layout_), thread_(python_.add_thread(0x7000, 42)) {
    evaluate("caller", 4);
    caller_ = thread_.frames.back();
    outer_ = thread_.cframe;
    evaluate("key", -2);  // its first instruction has not begun
  }

  void evaluate(const std::string& name, std::int32_t offset) {
    python_.evaluate(thread_);
    if (layout_.has_shims()) python_.call_shim(thread_);
    call(name, offset);
    if (layout_.frame.is_entry != kAbsent) set_entry(thread_.frames.back(), true);
  }
  void call(const std::string& name, std::int32_t offset) {
    python_.call(thread_, python_.make_code(name, "file.py", 1), offset);
  }
  void set_entry(Address frame, bool is_entry) {
    python_.memory().put(frame + layout_.frame.is_entry, std::uint8_t{is_entry});
  }
  // Who called `key`, as its evaluation says.
  void set_caller(Address caller) {
    const Address says = thread_.frames[thread_.frames.size() - (layout_.has_shims() ? 2 : 1)];
    python_.put(says + layout_.frame.previous, to_number(caller));
  }
  void set_outer(Address cframe) { python_.put(thread_.cframe + layout_.cframe.previous, to_number(cframe)); }
  Address make_cframe(Address frame) {
    const Address cframe = python_.allocate(64);
    python_.put(cframe + layout_.cframe.current_frame, to_number(frame));
    return cframe;
  }
  // Runs no more.
  Address make_generator() {
    call("generator", 2);
    const Address generator = thread_.frames.back();
    python_.return_from(thread_);
    python_.memory().put(generator + layout_.frame.owner, std::uint8_t{1});
    python_.put(generator + layout_.frame.previous, 0);
    return generator;
  }

  Reading read() { return reader_.read(); }
  Reading read_and_learn() {
    Reading reading = reader_.read();
    for (int i = 0; i < 3 && (reading == Reading::unknown || reading == Reading::unmapped); ++i)
      reading = reader_.learn_and_read();
    return reading;
  }
  // However it is read.
  void expect_moved() {
    EXPECT_EQ(read_and_learn(), Reading::moved);
    EXPECT_EQ(reader_.read_running(), Reading::moved);
    EXPECT_EQ(reader_.read_instant(python_.memory(), nullptr), Reading::moved);
  }
  void expect_names(const std::vector<std::string>& expected) const {
    std::vector<std::string> names;
    for (const CodeFrame& frame : reader_.frames()) names.push_back(codes_[frame.code].name);
    EXPECT_EQ(names, expected);
  }

  const Layout& layout_ = *GetParam();
  FakeInterpreter python_;
  FakeInterpreter::Thread& thread_;
  CodeCache codes_{python_.layout()};
  StackReader reader_{python_.memory(), python_.layout(), codes_, thread_.state, {}};
  Address caller_{};
  Address outer_{};  // the _PyCFrame that runs it
};

TEST_P(EvaluationTest, IsReadOnceItIsSetUp) {
  ASSERT_EQ(read_and_learn(), Reading::verified);
  expect_names({"key", "caller"});
  EXPECT_EQ(reader_.runs().size(), 2u);
}

TEST_P(EvaluationTest, WithoutAFrameIsNotTheEndOfPython) {
  python_.put(thread_.cframe + layout_.cframe.current_frame, 0);
  expect_moved();
}

TEST_P(EvaluationTest, NamesItsFrameBeforeTheFrameSaysThatItIsTheFirst) {
  if (layout_.frame.is_entry == kAbsent) return;
  ASSERT_EQ(read_and_learn(), Reading::verified);
  set_entry(thread_.frames.back(), false);
  expect_moved();
  set_entry(thread_.frames.back(), true);
  EXPECT_EQ(read_and_learn(), Reading::verified);
}

TEST_P(EvaluationTest, HasACallerOfAnEarlierLifeUntilThen) {
  for (const Address wrong : {make_generator(), target::kNull}) {
    set_caller(wrong);
    expect_moved();
  }
  set_caller(caller_);
  EXPECT_EQ(read_and_learn(), Reading::verified);
}

TEST_P(EvaluationTest, OfTheOutermostFrameWasCalledByNone) {
  set_outer(thread_.state + layout_.thread.size);
  expect_moved();
  set_caller(target::kNull);
  ASSERT_EQ(read_and_learn(), Reading::verified);
  expect_names({"key"});
}

TEST_P(EvaluationTest, ThatOnlyHasTheFrameOfCIsNotTheEndOfPython) {
  if (!layout_.has_shims()) return;
  python_.return_from(thread_);
  ASSERT_EQ(read_and_learn(), Reading::verified);
  expect_names({"caller"});
  python_.put(thread_.frames.back() + layout_.frame.previous, 0);
  expect_moved();
}

TEST_P(EvaluationTest, MayBeInsideOfOneThatIsNew) {
  ASSERT_EQ(read_and_learn(), Reading::verified);
  set_outer(make_cframe(caller_));
  // What runs cannot be asked for more; what stands still can.
  EXPECT_EQ(reader_.read_running(), Reading::unknown);
  EXPECT_EQ(reader_.read_instant(python_.memory(), nullptr), Reading::unknown);
  EXPECT_EQ(reader_.read_instant(python_.memory(), &python_.memory()), Reading::verified);
  EXPECT_EQ(read(), Reading::verified);
  reader_.learn();
  EXPECT_EQ(reader_.read_running(), Reading::verified);
}

TEST_P(EvaluationTest, MayItselfBeNew) {
  ASSERT_EQ(read_and_learn(), Reading::verified);
  evaluate("another", 2);
  EXPECT_EQ(reader_.read_running(), Reading::unknown);
  EXPECT_EQ(read_and_learn(), Reading::verified);
  expect_names({"another", "key", "caller"});
}

TEST_P(EvaluationTest, MaySayNowhereWhileItIsLearned) {
  ASSERT_EQ(read_and_learn(), Reading::verified);
  set_outer(Address{0x7fff'ffff'0000});
  reader_.learn();
  set_outer(outer_);
  EXPECT_EQ(reader_.read_running(), Reading::verified);
}

// The compiler may have it say last what is around it.
TEST_P(EvaluationTest, IsInsideOfAnythingUntilThen) {
  for (const Address wrong : {thread_.state, thread_.cframe, target::kNull}) {
    set_outer(wrong);
    expect_moved();
  }
}

TEST_P(EvaluationTest, OfAGreenletWasCalledByNone) {
  set_outer(make_cframe(target::kNull));
  set_caller(target::kNull);
  ASSERT_EQ(read_and_learn(), Reading::verified);
  expect_names({"key"});
  if (layout_.has_shims()) return;
  // But a generator has lost its caller.
  python_.memory().put(thread_.frames.back() + layout_.frame.owner, std::uint8_t{1});
  expect_moved();
}

std::vector<const Layout*> layouts_with_cframes() {
  std::vector<const Layout*> layouts = every_layout();
  std::erase_if(layouts, [](const Layout* layout) { return layout->frame_link != FrameLink::cframe; });
  return layouts;
}

INSTANTIATE_TEST_SUITE_P(CFrames, EvaluationTest, testing::ValuesIn(layouts_with_cframes()), layout_name);

// They are read as one.
TEST(CFrames, SayWhatRunsAndWhatIsAroundOneAfterTheOther) {
  for (const Layout* layout : layouts_with_cframes())
    EXPECT_EQ(layout->cframe.previous, layout->cframe.current_frame + offsetof(CFrames::Copy, previous));
}

}  // namespace
}  // namespace flametap::cpython

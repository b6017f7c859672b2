#include "cpython/stack_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpython/fake_interpreter.h"
#include "cpython/layout_table.h"

namespace flametap::cpython {

// How GoogleTest shows the parameter.
void PrintTo(const Layout& layout, std::ostream* out) { *out << "layout of " << to_string(layout.version); }

namespace {

using target::Address;

// Everything here is tried with every layout that we know.
class StackReaderTest : public testing::TestWithParam<Layout> {
 protected:
  StackReaderTest() : python_(GetParam()), thread_(python_.add_thread(0x7000, 42)) {}

  // A stack of `depth` functions f0, f1, ...
  void call_functions(int depth) {
    for (int i = 0; i < depth; ++i) {
      python_.call(thread_, python_.make_code("f" + std::to_string(i), "file.py", 10 * i + 1), 2 * i);
    }
  }
  StackReader make_reader() { return {python_.memory(), python_.layout(), codes_, thread_.state, {}}; }
  static Reading read_and_learn(StackReader& reader) {
    Reading reading = reader.read();
    for (int i = 0; i < 3 && (reading == Reading::unknown || reading == Reading::unmapped); ++i) {
      reader.learn();
      reading = reader.read();
    }
    return reading;
  }
  std::vector<std::string> names(const StackReader& reader) const {
    std::vector<std::string> names;
    for (const CodeFrame& frame : reader.frames()) names.push_back(codes_[frame.code].name);
    return names;
  }

  FakeInterpreter python_;
  FakeInterpreter::Thread& thread_;
  CodeCache codes_{python_.layout()};
};

TEST_P(StackReaderTest, ReadsTheStackInnermostFirst) {
  call_functions(3);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader), (std::vector<std::string>{"f2", "f1", "f0"}));
  EXPECT_EQ(codes_[reader.frames()[0].code].file, "file.py");
  EXPECT_EQ(codes_[reader.frames()[0].code].first_line, 21);
  EXPECT_FALSE(reader.truncated());
}

TEST_P(StackReaderTest, SaysWhenThereIsNoStack) {
  StackReader reader = make_reader();
  EXPECT_EQ(read_and_learn(reader), Reading::no_frames);
}

TEST_P(StackReaderTest, NeedsOneCallPerSampleInTheSteadyState) {
  call_functions(20);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.memory().reset_counts();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(reader.read(), Reading::verified);
  EXPECT_EQ(python_.memory().calls().size(), 100u);
}

TEST_P(StackReaderTest, StillNeedsOneCallWhenItReturnsAndCallsAgain) {
  call_functions(20);
  const Address leaf = python_.make_code("leaf", "file.py", 1);
  const bool frames_are_reused = python_.layout().thread.stack_chunk != kAbsent;
  if (!frames_are_reused) return;  // the fake gives a new frame object to each call; a real one reuses them
  python_.call(thread_, leaf);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.memory().reset_counts();
  for (int i = 0; i < 50; ++i) {
    python_.return_from(thread_);
    ASSERT_EQ(reader.read(), Reading::verified);
    ASSERT_EQ(names(reader).size(), 20u);
    python_.call(thread_, leaf);
    ASSERT_EQ(reader.read(), Reading::verified);
    ASSERT_EQ(names(reader).front(), "leaf");
  }
  EXPECT_EQ(python_.memory().calls().size(), 100u);
}

TEST_P(StackReaderTest, LearnsAnewWhenMemoryBesideTheStackIsGone) {
  call_functions(60);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  const Address innermost = thread_.frames.back();
  for (int i = 0; i < 57; ++i) python_.return_from(thread_);
  python_.memory().unmap(innermost, python_.layout().frame.size);
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader), (std::vector<std::string>{"f2", "f1", "f0"}));
}

TEST_P(StackReaderTest, NoticesAFrameThatChangesBetweenTheReadings) {
  call_functions(4);
  const Address other = python_.make_code("other", "other.py", 1);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  // When the thread's own words are read, an outer frame becomes another function's.
  const Address outer = thread_.frames[1];
  python_.memory().set_hook([&](const target::FakeMemory::Stretch& segment, std::size_t) {
    if (segment.from == thread_.state) python_.put(outer + python_.layout().frame.code, target::to_number(other));
  });
  EXPECT_EQ(reader.read(), Reading::moved);
}

// The n-th time, from 0, that memory at `address` is read.
class NthReading {
 public:
  NthReading(Address address, int n) : address_(address), left_(n) {}
  bool operator()(const target::FakeMemory::Stretch& segment) {
    const std::uint64_t from = target::to_number(segment.from);
    const std::uint64_t at = target::to_number(address_);
    return at >= from && at < from + segment.size && left_-- == 0;
  }

 private:
  Address address_;
  int left_;
};

TEST_P(StackReaderTest, LooksAThirdTimeAtAThreadThatMayRun) {
  call_functions(4);
  const Address other = python_.make_code("other", "other.py", 1);
  const Address outer = thread_.frames[1];
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  NthReading third(outer, 2);
  python_.memory().set_hook([&](const target::FakeMemory::Stretch& segment, std::size_t) {
    if (third(segment)) python_.put(outer + python_.layout().frame.code, target::to_number(other));
  });
  EXPECT_EQ(reader.read_running(), Reading::moved);
}

TEST_P(StackReaderTest, ARunningThreadMustHaveTheSameInnermostFrameAgain) {
  call_functions(4);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  ASSERT_EQ(reader.read_running(), Reading::verified);
  NthReading second(thread_.frames[3], 1);
  python_.memory().set_hook([&](const target::FakeMemory::Stretch& segment, std::size_t) {
    if (second(segment)) python_.return_from(thread_);
  });
  EXPECT_EQ(reader.read_running(), Reading::moved);
}

TEST_P(StackReaderTest, ReadsARunningThreadInOneCallToo) {
  call_functions(20);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.memory().reset_counts();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(reader.read_running(), Reading::verified);
  EXPECT_EQ(python_.memory().calls().size(), 100u);
}

TEST_P(StackReaderTest, MixesNoStacksWhateverTheMomentOfTheChange) {
  call_functions(3);
  const Address deep = python_.make_code("deep", "file.py", 1);
  const Address shallow = python_.make_code("shallow", "file.py", 2);
  python_.call(thread_, deep, 4);
  python_.call(thread_, deep, 6);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.memory().reset_counts();
  ASSERT_EQ(reader.read(), Reading::verified);
  const std::size_t segments = python_.memory().segments_read();
  for (std::size_t moment = 0; moment < segments; ++moment) {
    python_.memory().reset_counts();
    bool changed = false;
    python_.memory().set_hook([&](const auto&, std::size_t before) {
      if (before != moment || changed) return;
      changed = true;
      python_.return_from(thread_);
      python_.return_from(thread_);
      python_.call(thread_, shallow, 8);
    });
    if (reader.read() == Reading::verified) {
      const auto stack = names(reader);
      const bool was_deep = stack == std::vector<std::string>{"deep", "deep", "f2", "f1", "f0"};
      const bool was_shallow = stack == std::vector<std::string>{"shallow", "f2", "f1", "f0"};
      EXPECT_TRUE(was_deep || was_shallow) << "changed before segment " << moment;
    }
    python_.memory().set_hook({});
    python_.return_from(thread_);
    python_.call(thread_, deep, 4);
    python_.call(thread_, deep, 6);
    ASSERT_EQ(read_and_learn(reader), Reading::verified);
  }
}

TEST_P(StackReaderTest, NoticesAnotherCodeObjectAtTheSameAddresses) {
  call_functions(2);
  const Address code = python_.make_code("before", "before.py", 5);
  python_.call(thread_, code);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.remake_code(code, "after1", "after.py1", 5);
  EXPECT_EQ(reader.read(), Reading::unknown);
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader).front(), "after1");
  EXPECT_EQ(codes_[reader.frames()[0].code].file, "after.py1");
}

TEST_P(StackReaderTest, SkipsShimFrames) {
  if (!GetParam().has_shims()) return;
  call_functions(2);
  python_.call_shim(thread_);
  python_.call(thread_, python_.make_code("called_from_c", "file.py", 1));
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader), (std::vector<std::string>{"called_from_c", "f1", "f0"}));
  ASSERT_EQ(reader.runs().size(), 2u);
  EXPECT_EQ(reader.runs()[0].end, 1u);
  EXPECT_EQ(reader.runs()[0].anchor, thread_.frames[2]);
  EXPECT_EQ(reader.runs()[1].end, 3u);
  EXPECT_EQ(reader.runs()[1].anchor, thread_.base);
}

TEST_P(StackReaderTest, LeavesOutCodeOfTheInterpretersOwn) {
  call_functions(1);
  const Address silent = python_.make_code("__init__", "", 1);
  python_.memory().put(silent + GetParam().code.flags, kSilentCode);
  python_.call(thread_, silent);
  python_.call(thread_, python_.make_code("__init__", "", 1));
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader), (std::vector<std::string>{"__init__", "f0"}));
  EXPECT_EQ(reader.runs().back().end, 2u);
  ASSERT_EQ(reader.read(), Reading::verified);
  EXPECT_EQ(names(reader).size(), 2u);
}

TEST_P(StackReaderTest, TellsWhichFramesOneCallOfCRuns) {
  if (GetParam().has_shims()) return;  // see above
  call_functions(3);
  const Offset is_entry = GetParam().frame.is_entry;
  if (is_entry != kAbsent) {
    for (std::size_t i = 0; i < 3; ++i) python_.memory().put(thread_.frames[i] + is_entry, std::uint8_t{i != 2});
  }
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  std::vector<std::uint32_t> ends;
  for (const auto& run : reader.runs()) ends.push_back(run.end);
  EXPECT_EQ(ends, is_entry == kAbsent ? (std::vector<std::uint32_t>{1, 2, 3}) : (std::vector<std::uint32_t>{2, 3}));
}

TEST_P(StackReaderTest, AGeneratorThatIsCutOffFromItsCallersIsNotTheWholeStack) {
  const Layout& layout = GetParam();
  const bool has_state = layout.frame.state != kAbsent;
  if (!layout.has_shims() && layout.frame.is_entry == kAbsent && !has_state) return;  // nothing tells there
  call_functions(1);
  for (const std::uint32_t kind : {0x20u, 0x80u, 0x200u}) {  // a generator, a coroutine, an asynchronous generator
    SCOPED_TRACE(kind);
    const Address generator = python_.make_code("generator", "file.py", 1);
    python_.memory().put(generator + layout.code.flags, kind);
    python_.call(thread_, generator);
    const Address frame = thread_.frames.back();
    if (has_state) python_.memory().put(frame + layout.frame.state, std::int8_t{-1});
    StackReader reader = make_reader();
    ASSERT_EQ(read_and_learn(reader), Reading::verified);
    python_.put(frame + layout.frame.previous, 0);
    EXPECT_EQ(read_and_learn(reader), Reading::moved);
    EXPECT_EQ(reader.read_instant(python_.memory(), nullptr), Reading::moved);
    python_.put(frame + layout.frame.previous, target::to_number(thread_.frames[0]));
    EXPECT_EQ(read_and_learn(reader), Reading::verified);
    python_.return_from(thread_);
  }
}

// Compiled code may push frames of its own, and code that is not compiled may be called from there.
TEST_P(StackReaderTest, AFunctionThatNothingOfPythonsOwnBeganMayBeTheOutermost) {
  const Layout& layout = GetParam();
  call_functions(1);
  const Address compiled = thread_.frames[0];
  python_.put(compiled + layout.frame.previous, 0);
  if (layout.frame.is_entry != kAbsent) python_.memory().put(compiled + layout.frame.is_entry, std::uint8_t{0});
  if (layout.frame.owner != kAbsent) python_.memory().put(compiled + layout.frame.owner, std::uint8_t{1});
  if (layout.frame.state != kAbsent) python_.memory().put(compiled + layout.frame.state, std::int8_t{-2});
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader), (std::vector<std::string>{"f0"}));
  python_.evaluate(thread_);
  if (layout.has_shims()) python_.call_shim(thread_);
  python_.call(thread_, python_.make_code("interpreted", "file.py", 1));
  if (layout.frame.is_entry != kAbsent)
    python_.memory().put(thread_.frames.back() + layout.frame.is_entry, std::uint8_t{1});
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  EXPECT_EQ(names(reader), (std::vector<std::string>{"interpreted", "f0"}));
  EXPECT_EQ(reader.read_running(), Reading::verified);
  EXPECT_EQ(reader.read_instant(python_.memory(), nullptr), Reading::verified);
}

TEST_P(StackReaderTest, EndsAtACycle) {
  call_functions(5);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.put(thread_.frames[0] + python_.layout().frame.previous, target::to_number(thread_.frames[3]));
  EXPECT_NE(read_and_learn(reader), Reading::verified);
}

TEST_P(StackReaderTest, DoesNotBelievePointersToNowhere) {
  call_functions(5);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.put(thread_.frames[2] + python_.layout().frame.previous, 0xdead'beef'0000);
  EXPECT_NE(read_and_learn(reader), Reading::verified);
  python_.put(thread_.frames[2] + python_.layout().frame.previous, target::to_number(thread_.frames[1]));
  EXPECT_EQ(read_and_learn(reader), Reading::verified);
}

TEST_P(StackReaderTest, TruncatesAStackThatIsTooDeep) {
  if (python_.layout().thread.stack_chunk != kAbsent) return;  // would not fit into the fake's one chunk
  // Offsets have nothing to do with depth, and the reading takes long: the oldest and the newest of these will do.
  const Version version = python_.layout().version;
  if (python_.layout().trace_refs || (version != Version{2, 7, 0} && version != Version{3, 10, 0})) return;
  const Address code = python_.make_code("recursion", "file.py", 1);
  for (std::size_t i = 0; i < StackReader::kMaxDepth + 10; ++i) python_.call(thread_, code);
  StackReader reader = make_reader();
  Reading reading = Reading::unknown;
  for (int i = 0; i < 10 && reading != Reading::verified; ++i) reading = read_and_learn(reader);
  ASSERT_EQ(reading, Reading::verified);
  EXPECT_TRUE(reader.truncated());
  EXPECT_EQ(reader.frames().size(), StackReader::kMaxDepth);
}

TEST_P(StackReaderTest, TellsWhenTheProcessIsGone) {
  call_functions(2);
  StackReader reader = make_reader();
  ASSERT_EQ(read_and_learn(reader), Reading::verified);
  python_.memory().set_status(target::ReadStatus::gone);
  EXPECT_EQ(reader.read(), Reading::gone);
}

std::string name_of(const testing::TestParamInfo<Layout>& row) {
  return "v" + std::to_string(row.param.version.major) + "_" + std::to_string(row.param.version.minor) + "_" +
         std::to_string(row.index);
}

std::vector<Layout> readable_layouts() {
  std::vector<Layout> layouts;
  for (const Layout& layout : all_layouts()) {
    if (!layout.free_threaded) layouts.push_back(layout);
  }
  return layouts;
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, StackReaderTest, testing::ValuesIn(readable_layouts()), name_of);

}  // namespace
}  // namespace flametap::cpython

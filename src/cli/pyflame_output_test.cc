#include "cli/pyflame_output.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

using stack::Outcome;

TEST(PyflameOutputTest, AFrame) {
  EXPECT_EQ(pyflame_text({"/app/shop.py", "sell", 12}, true), "/app/shop.py:sell:12");
  EXPECT_EQ(pyflame_text({"/app/shop.py", "sell", 12}, false), "/app/shop.py:sell");
}

TEST(PyflameOutputTest, TheNameIsNotQualified) {
  EXPECT_EQ(pyflame_text({"a.py", "Shop.sell", 1}, true), "a.py:sell:1");
  EXPECT_EQ(pyflame_text({"a.py", "Shop.sell.<locals>.<lambda>", 1}, true), "a.py:<lambda>:1");
  EXPECT_EQ(pyflame_text({"a.py", "<module>", 1}, true), "a.py:<module>:1");
}

TEST(PyflameOutputTest, NothingInAFrameBreaksTheGrammar) {
  EXPECT_EQ(pyflame_text({"a;b\n.py", "x;y:z\n", 1}, true), "a,b .py:x,y_z :1");
  EXPECT_EQ(pyflame_text({"C:/a.py", "f", 1}, true), "C:/a.py:f:1") << "a path stays what it is";
  EXPECT_EQ(pyflame_text({"", "", 0}, true), "?:?:0");
  EXPECT_EQ(pyflame_text({"a.py", "f", -1}, true), "a.py:f:0");
  EXPECT_EQ(pyflame_text({"\xff.py", "日本", 1}, true), "\uFFFD.py:日本:1");
}

TEST(PyflameLogTest, Collapsed) {
  PyflameLog log({});
  const auto b = log.line_of({"b:b:1"});
  const auto a = log.line_of({"a:a:1", "a:b:2"});
  EXPECT_TRUE(log.empty());
  log.add(b, 1);
  log.add(PyflameLog::kIdle, 2);
  log.add(a, 3);
  log.add(PyflameLog::kFailed, 4);
  log.add(a, 5);
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(log.text(), "(idle) 1\n(failed) 1\na:a:1;a:b:2 2\nb:b:1 1\n");
}

TEST(PyflameLogTest, EqualStacksAreOneLine) {
  PyflameLog log({});
  const auto first = log.line_of({"a:a:1"});
  EXPECT_EQ(log.line_of({"a:a:1"}), first);
  EXPECT_NE(log.line_of({"a:b:1"}), first) << "the name tells frames of one line apart";
}

TEST(PyflameLogTest, Nothing) {
  EXPECT_EQ(PyflameLog({}).text(), "");
  EXPECT_EQ(PyflameLog({.flamechart = true}).text(), "");
  PyflameLog log({});
  static_cast<void>(log.line_of({"a:a:1"}));
  EXPECT_EQ(log.text(), "") << "no sample was in it";
}

TEST(PyflameLogTest, WithoutIdle) {
  for (const bool flamechart : {false, true}) {
    PyflameLog log({.flamechart = flamechart, .exclude_idle = true});
    log.add(PyflameLog::kIdle, 1);
    EXPECT_FALSE(log.empty()) << "it was sampled";
    EXPECT_EQ(log.text(), "");
    log.add(PyflameLog::kFailed, 2);
    EXPECT_EQ(log.text(), flamechart ? "2\n(failed)\n" : "(failed) 1\n");
  }
}

TEST(PyflameLogTest, Flamechart) {
  PyflameLog log({.flamechart = true});
  const auto a = log.line_of({"a:a:1", "a:b:2"});
  log.add(a, 1700000000000001);
  log.add(PyflameLog::kIdle, 1700000000010001);
  log.add(PyflameLog::kFailed, 1700000000020001);
  log.add(a, 1700000000030001);
  EXPECT_EQ(log.text(),
            "1700000000000001\na:a:1;a:b:2;\n"
            "1700000000010001\n(idle)\n"
            "1700000000020001\n(failed)\n"
            "1700000000030001\na:a:1;a:b:2;\n");
}

DumpedThread thread(std::uint64_t ident, bool holds_gil, Outcome outcome, std::vector<sampler::NamedFrame> frames) {
  return {.tid = 1,
          .name = "",
          .ident = ident,
          .interpreter = 0,
          .on_cpu = false,
          .holds_gil = holds_gil,
          .waits_for_gil = false,
          .in_gc = false,
          .outcome = outcome,
          .step = stack::Step::free_running,
          .unmerged = false,
          .native_truncated = false,
          .frames = std::move(frames)};
}

sampler::NamedFrame frame(const std::string& name, const std::string& file, std::int32_t line) {
  return {profile::FrameKind::python, name, file, "", 1, line};
}

sampler::NamedFrame native(const std::string& name) {
  return {profile::FrameKind::native, name, "libsort.so", "libsort.so", 0, 0};
}

TEST(PyflameDumpTest, Threads) {
  const ThreadDump dump{7,
                        "python",
                        "3.11.2",
                        true,
                        {thread(140735340879104, true, Outcome::complete,
                                {frame("C.leaf", "a.py", 3), native("ns::sort"), frame("main", "a.py", 9)}),
                         thread(2, false, Outcome::no_frames, {}), thread(3, false, Outcome::torn, {}),
                         thread(4, false, Outcome::truncated, {frame("f", "a.py", 5)})}};
  EXPECT_EQ(pyflame_text(dump),
            "140735340879104*:\na.py:leaf:3\n0xc:ns__sort:0\na.py:main:9\n"
            "\n3:\n(failed)\n"
            "\n4:\na.py:f:5\n(truncated):(truncated):0\n");
}

}  // namespace
}  // namespace flametap::cli

// The two forms that CPython's documentation shows, held to its own samples.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::Event;
using events::Kind;

const events::Thread kProbedThread{.pid = 8274, .tid = 8274, .program = "python", .name = "MainThread"};
const events::Thread kOther{.pid = 8274, .tid = 8275, .program = "python"};

struct Row {
  Nanoseconds time;
  Kind kind;
  std::int32_t depth;
  std::string_view file;
  std::string_view function;
  std::int32_t line;
};

std::string written(TraceView& view, const std::vector<Row>& rows, const events::Thread& thread = kProbedThread) {
  std::string out;
  for (const Row& row : rows) {
    view.add({.kind = row.kind,
              .time = row.time,
              .thread = &thread,
              .depth = row.depth,
              .line = row.line,
              .file = row.file,
              .function = row.function},
             out);
  }
  return out;
}

TEST(TraceDtrace, IsWhatTheScriptPrints) {
  constexpr std::string_view kFile = "/home/me/call_stack.py";
  const std::vector<Row> rows = {
      {156641360502280, Kind::call, 4, kFile, "start", 23},
      {156641360518804, Kind::call, 5, kFile, "function_1", 1},
      {156641360532797, Kind::call, 6, kFile, "function_3", 9},
      {156641360546807, Kind::call_end, 6, kFile, "function_3", 10},
      {156641360563367, Kind::call_end, 5, kFile, "function_1", 2},
      {156641360578365, Kind::call, 5, kFile, "function_2", 5},
      {156641360642285, Kind::call_end, 5, kFile, "function_2", 6},
      {156641360747370, Kind::call_end, 4, kFile, "start", 28},
  };
  EXPECT_EQ(written(*make_trace_dtrace(), rows),
            "156641360502280\t function-entry:call_stack.py:start:23\n"
            "156641360518804\t function-entry: call_stack.py:function_1:1\n"
            "156641360532797\t function-entry:  call_stack.py:function_3:9\n"
            "156641360546807\tfunction-return:  call_stack.py:function_3:10\n"
            "156641360563367\tfunction-return: call_stack.py:function_1:2\n"
            "156641360578365\t function-entry: call_stack.py:function_2:5\n"
            "156641360642285\tfunction-return: call_stack.py:function_2:6\n"
            "156641360747370\tfunction-return:call_stack.py:start:28\n");
}

TEST(TraceDtrace, OtherEventsAreNotWrittenAndThreadsIndentOnTheirOwn) {
  const auto view = make_trace_dtrace();
  std::string out = written(*view, {{1, Kind::call, 0, "a.py", "f", 1}, {2, Kind::line, 1, "a.py", "f", 2}});
  out += written(*view, {{3, Kind::call, 0, "a.py", "g", 5}}, kOther);
  EXPECT_EQ(out, "1\t function-entry:a.py:f:1\n3\t function-entry:a.py:g:5\n");
}

TEST(TraceDtrace, ALostReturnDoesNotIndentForEver) {
  const std::vector<Row> rows = {{1, Kind::call, 0, "a.py", "f", 1},
                                 {2, Kind::call, 1, "a.py", "g", 2},
                                 {9, Kind::call_end, 0, "a.py", "f", 3},
                                 {10, Kind::call_end, -1, "a.py", "main", 4}};
  EXPECT_EQ(written(*make_trace_dtrace(), rows),
            "1\t function-entry:a.py:f:1\n2\t function-entry: a.py:g:2\n"
            "9\tfunction-return:a.py:f:3\n10\tfunction-return:a.py:main:4\n");
}

TEST(TraceStap, IsWhatTheScriptPrints) {
  const auto view = make_trace_stap();
  std::vector<Row> around;
  for (std::int32_t depth = 0; depth < 7; ++depth) around.push_back({5'000, Kind::call, depth, "a.py", "around", 1});
  EXPECT_EQ(written(*view, {around[0]}), "     0 python(8274): => around in a.py:1\n");
  (void)written(*view, {around.begin() + 1, around.end()});
  const std::vector<Row> rows = {
      {11'413'000, Kind::call, 7, "Lib/_abcoll.py", "__contains__", 362},
      {11'419'000, Kind::call, 8, "Lib/os.py", "__getitem__", 425},
      {11'423'000, Kind::call, 9, "Lib/os.py", "encode", 490},
      {11'429'000, Kind::call_end, 9, "Lib/os.py", "encode", 493},
      {11'433'999, Kind::call_end, 8, "Lib/os.py", "__getitem__", 426},
      {11'438'000, Kind::call_end, 7, "Lib/_abcoll.py", "__contains__", 366},
  };
  EXPECT_EQ(written(*view, rows),
            " 11408 python(8274):        => __contains__ in Lib/_abcoll.py:362\n"
            " 11414 python(8274):         => __getitem__ in Lib/os.py:425\n"
            " 11418 python(8274):          => encode in Lib/os.py:490\n"
            " 11424 python(8274):          <= encode in Lib/os.py:493\n"
            " 11428 python(8274):         <= __getitem__ in Lib/os.py:426\n"
            " 11433 python(8274):        <= __contains__ in Lib/_abcoll.py:366\n");
}

TEST(TraceStap, EachOutermostCallBeginsAtZero) {
  const std::vector<Row> rows = {{1'000, Kind::call, 0, "a.py", "f", 1},
                                 {4'000, Kind::call_end, 0, "a.py", "f", 2},
                                 {9'000, Kind::call, 0, "a.py", "g", 1},
                                 {9'500, Kind::call_end, 0, "a.py", "g", 1}};
  EXPECT_EQ(written(*make_trace_stap(), rows, kOther),
            "     0 python(8275): => f in a.py:1\n     3 python(8275): <= f in a.py:2\n"
            "     0 python(8275): => g in a.py:1\n     0 python(8275): <= g in a.py:1\n");
}

}  // namespace
}  // namespace flametap::format

#include "cli/thread_dump.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/text_width.h"

namespace flametap::cli {
namespace {

DumpedThread idle_thread(pid_t tid, std::int64_t interpreter = 0) {
  DumpedThread thread{};
  thread.tid = tid;
  thread.name = "worker";
  thread.ident = 1;
  thread.interpreter = interpreter;
  thread.outcome = stack::Outcome::complete;
  thread.frames = {{profile::FrameKind::python, "inner", "a.py", "", 1, 2},
                   {profile::FrameKind::python, "outer", "a.py", "", 5, 6}};
  return thread;
}

ThreadDump dump_of(std::vector<DumpedThread> threads) { return {7, "python a.py", "3.12.1", false, threads}; }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ThreadDump, PutsTheMainThreadFirst) {
  ThreadDump dump = dump_of({idle_thread(9), idle_thread(7, 1), idle_thread(8), idle_thread(7)});
  put_main_thread_first(dump);
  std::vector<std::pair<pid_t, std::int64_t>> order;
  for (const DumpedThread& thread : dump.threads) order.emplace_back(thread.tid, thread.interpreter.value_or(0));
  EXPECT_EQ(order, (std::vector<std::pair<pid_t, std::int64_t>>{{7, 1}, {7, 0}, {9, 0}, {8, 0}}));
}

TEST(ThreadDump, SaysThatFramesAreMissingWhereTheyAre) {
  DumpedThread thread = idle_thread(7);
  thread.outcome = stack::Outcome::truncated;
  const std::string text = to_text(dump_of({thread}), false);
  EXPECT_TRUE(has(text, "    inner (a.py:2)\n    outer (a.py:6)\n    (truncated)\n")) << text;
}

TEST(ThreadDump, ShortensNamesForPeopleOnly) {
  DumpedThread thread = idle_thread(7);
  thread.frames.front().name = "begin" + std::string(5000, 'x') + "end";
  thread.frames.front().file = "/srv/" + std::string(5000, 'y') + "/a.py";
  const ThreadDump dump = dump_of({thread});
  const std::string text = to_text(dump, false);
  EXPECT_LT(text.size(), 1000u);
  EXPECT_TRUE(has(text, "    beginx") && has(text, "…") && has(text, "xend (/srv/") && has(text, "/a.py:2)")) << text;
  const auto frames = nlohmann::json::parse(to_json(dump))["threads"][0]["frames"];
  EXPECT_EQ(frames[0]["name"], thread.frames.front().name);
  EXPECT_EQ(frames[0]["file"], thread.frames.front().file);
}

TEST(ThreadDump, FitsTheTerminal) {
  DumpedThread thread = idle_thread(7);
  thread.frames.front().file = "/usr/lib/python3/dist-packages/a/very/long/path/to/some/module/of/a/program.py";
  const std::string text = to_text(dump_of({thread}), false, 60);
  EXPECT_TRUE(has(text, "    inner (/usr/lib/python…")) << text;
  EXPECT_TRUE(has(text, "program.py:2)\n")) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), 60u) << line;
}

TEST(ThreadDump, SaysWhatHoldsAThread) {
  DumpedThread stopped = idle_thread(7);
  stopped.stopped = true;
  DumpedThread traced = idle_thread(8);
  traced.traced = true;
  traced.waits_for_gil = true;
  const ThreadDump dump = dump_of({stopped, traced, idle_thread(9)});
  const std::string text = to_text(dump, false);
  EXPECT_TRUE(has(text, "Thread 7 \"worker\" (stopped)\n")) << text;
  EXPECT_TRUE(has(text, "Thread 8 \"worker\" (traced, waits for the GIL)\n")) << text;
  EXPECT_TRUE(has(text, "Thread 9 \"worker\" (idle)\n")) << text;
  const auto threads = nlohmann::json::parse(to_json(dump))["threads"];
  EXPECT_EQ(threads[0]["stopped"], true);
  EXPECT_EQ(threads[0]["traced"], false);
  EXPECT_EQ(threads[1]["traced"], true);
}

TEST(ThreadDump, SaysTheInterpreterWhereThereAreSeveral) {
  const std::string text = to_text(dump_of({idle_thread(7), idle_thread(7, 1)}), false);
  EXPECT_TRUE(has(text, "Thread 7 \"worker\" (idle, interpreter 0)\n")) << text;
  EXPECT_TRUE(has(text, "Thread 7 \"worker\" (idle, interpreter 1)\n")) << text;
  EXPECT_FALSE(has(to_text(dump_of({idle_thread(7)}), false), "interpreter"));
}

}  // namespace
}  // namespace flametap::cli

#include "cli/trace_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flametap::cli {
namespace {

using format::TapsetLanguage;
using format::TraceFormat;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tracer::EventGroup;
using Words = std::vector<std::string>;

// What stands after `--`, if anything does.
using Command = std::optional<Words>;

Result<AnyTraceRequest> parse(Words words, const Command& command = std::nullopt) {
  CLI::App app;
  TraceWords typed;
  add_trace_options(app, typed);
  std::ranges::reverse(words);  // as CLI11 takes them
  app.parse(words);
  return trace_request(app, typed, command ? &*command : nullptr);
}

template <typename Request = TraceRequest>
Request request(Words words, const Command& command = std::nullopt) {
  const auto parsed = parse(std::move(words), command);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return {};
  }
  const Request* const found = std::get_if<Request>(&*parsed);
  EXPECT_NE(found, nullptr);
  return found == nullptr ? Request{} : *found;
}

// The message and the remedy of a usage error.
std::string refusal(Words words, const Command& command = std::nullopt) {
  const auto parsed = parse(std::move(words), command);
  if (parsed) return "it was understood";
  EXPECT_EQ(parsed.error().kind, Failure::usage);
  return parsed.error().message + "; " + parsed.error().remedy;
}

TEST(TraceArguments, BareWordsAreProcesses) {
  EXPECT_THAT(request({"7"}).pids, ElementsAre(7));
  EXPECT_THAT(request({"7,8", "9", "-d", "1"}).pids, ElementsAre(7, 8, 9));
  EXPECT_THAT(request({"-p", "7", "8"}).pids, ElementsAre(7, 8));
  EXPECT_THAT(request({"--top", "7"}).pids, ElementsAre(7));
  EXPECT_THAT(refusal({"0"}), HasSubstr("must be the id of a process"));
  EXPECT_THAT(refusal({"7"}, Words{"python3"}), HasSubstr("one of -p, --all and a command"));
  EXPECT_EQ(request<ListRequest>({"--list", "7"}).what, "7");
}

TEST(TraceArguments, Defaults) {
  const TraceRequest given = request({"-p", "7"});
  EXPECT_THAT(given.pids, ElementsAre(7));
  EXPECT_THAT(given.command, IsEmpty());
  EXPECT_FALSE(given.all || given.top || given.batch || given.ftap);
  EXPECT_THAT(given.events, ElementsAre(EventGroup::call));
  EXPECT_EQ(given.within, "");
  EXPECT_TRUE(given.function.matches_all() && given.file.matches_all() && given.thread.matches_all());
  EXPECT_EQ(given.min_duration, 0u);
  EXPECT_FALSE(given.duration);
  EXPECT_EQ(given.output, "-");
  EXPECT_EQ(given.format, TraceFormat::tree);
  EXPECT_EQ(given.buffer_bytes, std::size_t{64} << 20);
}

TEST(TraceArguments, WhatToTrace) {
  EXPECT_THAT(request({"-p", "1,2", "--pid", "3", "4"}).pids, ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(request({"--all"}).all);
  const TraceRequest command = request({}, Words{"python3", "a.py", "--all"});
  EXPECT_THAT(command.command, ElementsAre("python3", "a.py", "--all"));
  EXPECT_FALSE(command.all);
}

TEST(TraceArguments, NothingOrTooMuchToTrace) {
  EXPECT_THAT(refusal({}), HasSubstr("nothing to trace: give -p PID, --all or -- COMMAND"));
  EXPECT_THAT(refusal({"-p", "1", "--all"}), HasSubstr("not several"));
  EXPECT_THAT(refusal({"-p", "1"}, Words{"true"}), HasSubstr("not several"));
  EXPECT_THAT(refusal({"--all"}, Words{"true"}), HasSubstr("not several"));
  EXPECT_THAT(refusal({}, Words{}), HasSubstr("there is no command after --"));
  EXPECT_THAT(refusal({"prog.py"}), AllOf(HasSubstr("unexpected word 'prog.py'"), HasSubstr("-- prog.py")));
  EXPECT_THAT(refusal({"--all", "2"}), HasSubstr("one of -p, --all and a command"));
  for (const char* pid : {"x", "0", "-1", "1,", ""}) EXPECT_NE(refusal({"-p", pid}), "it was understood") << pid;
}

TEST(TraceArguments, Events) {
  const auto events = [](Words words) {
    words.insert(words.end(), {"-p", "1"});
    return request(words).events;
  };
  EXPECT_THAT(events({"--events", "gc,import"}), ElementsAre(EventGroup::gc, EventGroup::import));
  EXPECT_THAT(events({"--events", "gc", "--events", "line"}), ElementsAre(EventGroup::gc, EventGroup::line));
  EXPECT_THAT(events({"--events", "audit,gc,audit"}), ElementsAre(EventGroup::audit, EventGroup::gc));
  for (const char* wrong : {"calls", "", "gc,", ",gc", "gc,,line", "gc import", "Call"}) {
    EXPECT_THAT(refusal({"-p", "1", "--events", wrong}),
                AllOf(HasSubstr("no events are called '"), HasSubstr("call,line,gc,import,audit")))
        << wrong;
  }
}

TEST(TraceArguments, Filters) {
  const TraceRequest given = request({"-p", "1", "--within", "handle", "--function", "^(buy|sell)$", "--file", "shop",
                                      "--thread", "Worker-[0-9]", "--min-duration", "2.5", "-d", "0.5"});
  EXPECT_EQ(given.within, "handle");
  EXPECT_TRUE(given.function.matches("sell"));
  EXPECT_FALSE(given.function.matches("sells"));
  EXPECT_TRUE(given.file.matches("/app/shop/cart.py"));
  EXPECT_FALSE(given.thread.matches("Worker-x"));
  EXPECT_EQ(given.min_duration, 2'500'000u);
  EXPECT_EQ(given.duration, kSecond / 2);
}

TEST(TraceArguments, WrongFilters) {
  EXPECT_THAT(refusal({"-p", "1", "--function", "("}), HasSubstr("functions"));
  EXPECT_THAT(refusal({"-p", "1", "--file", "["}), HasSubstr("files"));
  EXPECT_THAT(refusal({"-p", "1", "--thread", "*"}), HasSubstr("threads"));
  EXPECT_THAT(refusal({"-p", "1", "--within", ""}), HasSubstr("--within names no function"));
  for (const char* option : {"--min-duration", "--duration"}) {
    for (const char* wrong : {"", "0", "-1", "x", "nan", "inf"})
      EXPECT_THAT(refusal({"-p", "1", option, wrong}), HasSubstr(std::string("'") + wrong + "'")) << option;
  }
}

TEST(TraceArguments, FormatsByName) {
  const std::initializer_list<std::pair<const char*, TraceFormat>> formats = {{"tree", TraceFormat::tree},
                                                                              {"dtrace", TraceFormat::dtrace},
                                                                              {"stap", TraceFormat::stap},
                                                                              {"jsonl", TraceFormat::jsonl},
                                                                              {"chrome", TraceFormat::chrome}};
  for (const auto& [name, format] : formats) {
    // What is asked for counts, whatever the file is called.
    for (const char* output : {"-", "out", "out.json", "out.ftap"}) {
      const TraceRequest given = request({"-p", "1", "--format", name, "-o", output});
      EXPECT_EQ(given.format, format) << name;
      EXPECT_EQ(given.output, output);
      EXPECT_FALSE(given.ftap);
    }
  }
  EXPECT_TRUE(request({"-p", "1", "-f", "ftap", "-o", "out"}).ftap);
}

TEST(TraceArguments, FormatsByEnding) {
  const std::initializer_list<std::pair<const char*, TraceFormat>> formats = {
      {"a.txt", TraceFormat::tree},    {"a.dtrace", TraceFormat::dtrace}, {"a.stap", TraceFormat::stap},
      {"a.jsonl", TraceFormat::jsonl}, {"a.json", TraceFormat::chrome},   {"a.unknown", TraceFormat::tree},
      {"a", TraceFormat::tree},        {"json", TraceFormat::tree}};
  for (const auto& [output, format] : formats) {
    const TraceRequest given = request({"-p", "1", "-o", output});
    EXPECT_EQ(given.format, format) << output;
    EXPECT_FALSE(given.ftap) << output;
  }
  EXPECT_TRUE(request({"-p", "1", "-o", "a.ftap"}).ftap);
}

TEST(TraceArguments, WrongFormats) {
  EXPECT_THAT(refusal({"-p", "1", "--format", "svg"}),
              AllOf(HasSubstr("no format of a trace is called 'svg'"), HasSubstr("jsonl")));
  EXPECT_THAT(refusal({"-p", "1", "--format", "ftap"}), HasSubstr("-o FILE.ftap"));
  EXPECT_THAT(refusal({"-p", "1", "--format", "tree", "--summary"}), HasSubstr("either --summary or --format"));
}

TEST(TraceArguments, Summary) {
  const TraceRequest given = request({"-p", "1", "--summary", "-o", "out.json"});
  EXPECT_EQ(given.format, TraceFormat::summary);
  EXPECT_FALSE(given.ftap);
}

TEST(TraceArguments, Top) {
  const TraceRequest everywhere = request({"--top", "--all"});
  EXPECT_TRUE(everywhere.top && everywhere.all);
  EXPECT_FALSE(everywhere.batch);
  EXPECT_EQ(everywhere.interval, kSecond);
  EXPECT_EQ(everywhere.limit, 20u);
  const TraceRequest given = request({"--top", "-p", "1", "--interval", "0.5", "--limit", "3", "--batch", "--file",
                                      "shop", "--function", "buy", "-d", "3"});
  EXPECT_TRUE(given.top && given.batch && !given.all);
  EXPECT_EQ(given.interval, kSecond / 2);
  EXPECT_EQ(given.limit, 3u);
  EXPECT_EQ(given.duration, 3 * kSecond);
}

TEST(TraceArguments, WrongTops) {
  EXPECT_THAT(refusal({"--top"}, Words{"python3"}), HasSubstr("--top is about processes that run"));
  EXPECT_THAT(refusal({"--top"}), HasSubstr("or --all, which slows every Python"));
  EXPECT_THAT(refusal({"--top", "--all", "-p", "1"}), HasSubstr("not several"));
  EXPECT_THAT(refusal({"--top", "--all", "--interval", "0"}), HasSubstr("'0'"));
  EXPECT_THAT(refusal({"--top", "--all", "--limit", "0"}), HasSubstr("--limit"));
  EXPECT_THAT(refusal({"--top", "--all", "--limit", "-1"}), HasSubstr("--limit"));
}

TEST(TraceArguments, WhatGoesWithTopOnly) {
  EXPECT_THAT(refusal({"-p", "1", "--interval", "1"}), HasSubstr("--interval goes with --top"));
  EXPECT_THAT(refusal({"-p", "1", "--limit", "1"}), HasSubstr("--limit goes with --top"));
  EXPECT_THAT(refusal({"-p", "1", "--batch"}), HasSubstr("--batch goes with --top"));
}

TEST(TraceArguments, WhatDoesNotGoWithTop) {
  const std::initializer_list<Words> wrong = {{"--events", "gc"},    {"--within", "f"}, {"--min-duration", "1"},
                                              {"--format", "jsonl"}, {"--summary"},     {"--thread", "Main"}};
  for (Words words : wrong) {
    const std::string expected = words.front() + " does not go with --top";
    words.insert(words.begin(), {"--top", "-p", "1"});
    EXPECT_THAT(refusal(words), HasSubstr(expected));
  }
}

TEST(TraceArguments, Buffer) {
  EXPECT_EQ(request({"-p", "1", "--buffer", "1"}).buffer_bytes, std::size_t{1} << 20);
  EXPECT_EQ(request({"-p", "1", "--buffer", "1024"}).buffer_bytes, std::size_t{1} << 30);
  for (const char* wrong : {"0", "3", "2048", "-4", "x", "", "1.5"})
    EXPECT_THAT(refusal({"-p", "1", "--buffer", wrong}), HasSubstr("--buffer")) << wrong;
}

TEST(TraceArguments, List) {
  EXPECT_EQ(request<ListRequest>({"--list"}).what, "");
  EXPECT_FALSE(request<ListRequest>({"--list"}).json);
  const auto given = request<ListRequest>({"--list", "7", "--json"});
  EXPECT_EQ(given.what, "7");
  EXPECT_TRUE(given.json);
  EXPECT_THAT(refusal({"--list", "1", "2"}), HasSubstr("unexpected word"));
  EXPECT_THAT(refusal({"--list", "-p", "1"}), HasSubstr("--list PID"));
  EXPECT_THAT(refusal({"--list"}, Words{"true"}), HasSubstr("--list PID"));
  EXPECT_THAT(refusal({"-p", "1", "--json"}), AllOf(HasSubstr("--json goes with --list"), HasSubstr("--format jsonl")));
}

TEST(TraceArguments, Tapset) {
  const auto usual = request<TapsetRequest>({"--tapset", "7"});
  EXPECT_EQ(usual.what, "7");
  EXPECT_EQ(usual.language, TapsetLanguage::systemtap);
  EXPECT_EQ(request<TapsetRequest>({"--tapset", "python3", "--for", "bpftrace"}).language, TapsetLanguage::bpftrace);
  EXPECT_EQ(request<TapsetRequest>({"--tapset", "python3", "--for", "dtrace"}).language, TapsetLanguage::dtrace);
  EXPECT_THAT(refusal({"--tapset", "7", "--for", "perl"}), HasSubstr("no scripts can be made for 'perl'"));
  EXPECT_THAT(refusal({"--tapset", "7", "-p", "1"}), HasSubstr("say what they are about themselves"));
  EXPECT_THAT(refusal({"--tapset", "7"}, Words{"true"}), HasSubstr("say what they are about themselves"));
  EXPECT_THAT(refusal({"-p", "1", "--for", "bpftrace"}), HasSubstr("--for goes with --tapset"));
}

}  // namespace
}  // namespace flametap::cli

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::Event;
using events::Kind;

const events::Thread kThread{.pid = 7, .tid = 8, .program = "python3", .name = "Worker"};

std::string line_of(Event event) {
  event.time = 156'641'360'502'280;
  event.thread = &kThread;
  std::string out;
  make_trace_jsonl()->add(event, out);
  return out;
}

constexpr std::string_view kHeadLine = "{\"time_ns\":156641360502280,\"pid\":7,\"tid\":8,\"event\":";

TEST(TraceJsonl, CallsAndLines) {
  const std::string place = ",\"file\":\"a.py\",\"function\":\"f\",\"line\":3,\"depth\":2}\n";
  const Event event{.depth = 2, .line = 3, .file = "a.py", .function = "f"};
  for (const auto& [kind, name] : {std::pair(Kind::call, "\"call\""), std::pair(Kind::call_end, "\"return\""),
                                   std::pair(Kind::line, "\"line\"")}) {
    Event one = event;
    one.kind = kind;
    EXPECT_EQ(line_of(one), std::string(kHeadLine) + name + place);
  }
}

TEST(TraceJsonl, EachEventHasItsOwnArguments) {
  EXPECT_EQ(line_of({.kind = Kind::gc_start, .value = 2}), std::string(kHeadLine) +
                                                               R"("gc_start","generation":2,"depth":0})"
                                                               "\n");
  EXPECT_EQ(line_of({.kind = Kind::gc_done, .value = 12}), std::string(kHeadLine) +
                                                               R"("gc_done","collected":12,"depth":0})"
                                                               "\n");
  EXPECT_EQ(line_of({.kind = Kind::import_start, .name = "json"}), std::string(kHeadLine) +
                                                                       R"("import_start","module":"json","depth":0})"
                                                                       "\n");
  EXPECT_EQ(line_of({.kind = Kind::import_done, .name = "json", .value = 1}),
            std::string(kHeadLine) + R"("import_done","module":"json","found":true,"depth":0})"
                                     "\n");
  EXPECT_EQ(line_of({.kind = Kind::import_done, .name = "nope"}),
            std::string(kHeadLine) + R"("import_done","module":"nope","found":false,"depth":0})"
                                     "\n");
  EXPECT_EQ(line_of({.kind = Kind::audit, .name = "open", .arguments = "('/x', 'r')"}),
            std::string(kHeadLine) + "\"audit\",\"name\":\"open\",\"arguments\":\"('/x', 'r')\",\"depth\":0}\n");
  EXPECT_EQ(line_of({.kind = Kind::thread_end}), std::string(kHeadLine) + "\"thread_end\"}\n");
}

TEST(TraceJsonl, WhatIsNotAsItShouldBeIsSaid) {
  EXPECT_EQ(line_of({.kind = Kind::call, .unmarked = true, .depth = -1, .lost = 12}),
            std::string(kHeadLine) + R"("call","depth":-1,"lost":12,"unmarked":true})"
                                     "\n");
}

TEST(TraceJsonl, AnyNameIsValidJson) {
  const std::string name = "\x01\"\\\n\xff ü";
  const nlohmann::json read = nlohmann::json::parse(line_of({.kind = Kind::call, .file = name, .function = name}));
  EXPECT_EQ(read["function"], "\x01\"\\\n\xEF\xBF\xBD ü");
}

TEST(TraceJsonl, TheLastLineSaysHowItEnded) {
  std::string out;
  make_trace_jsonl()->finish({.began = 1, .ended = 2, .events = 3, .lost = 4, .out_of_order = 5, .unnamed = 6}, out);
  EXPECT_EQ(out, R"({"event":"end","began_ns":1,"ended_ns":2,"events":3,"lost":4,"out_of_order":5,"unnamed":6})"
                 "\n");
}

}  // namespace
}  // namespace flametap::format

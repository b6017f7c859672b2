// Whatever events come, in whatever order: every view keeps its promises.
#include "format/trace_view.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>

#include "events/duration_filter.h"

namespace flametap::format {
namespace {

using events::Event;
using events::Kind;
using nlohmann::json;

constexpr std::array<std::string_view, 5> kNames = {"f", "g", "<lambda>", "\"\\\n\033[2J", ""};

class Chaos {
 public:
  explicit Chaos(unsigned seed) : random_(seed) {
    for (pid_t i = 0; i < 3; ++i) threads_.push_back({.pid = 7 + i % 2, .tid = 7 + i, .program = "python3"});
  }

  Event next() {
    time_ += random_() % 3;
    Event event{.kind = static_cast<Kind>(random_() % 9),
                .unmarked = random_() % 20 == 0,
                .time = time_ - std::min<Nanoseconds>(time_, random_() % 50 == 0 ? 10 : 0),
                .thread = &threads_[random_() % threads_.size()],
                .depth = static_cast<std::int32_t>(random_() % 8) - 2,
                .line = static_cast<std::int32_t>(random_() % 4) - 1,
                .file = kNames[random_() % kNames.size()],
                .function = kNames[random_() % kNames.size()],
                .name = kNames[random_() % kNames.size()],
                .value = static_cast<std::int64_t>(random_() % 5) - 1,
                .lost = random_() % 10 == 0 ? static_cast<std::uint32_t>(random_() % 3) : 0};
    if (event.kind == Kind::thread_end && random_() % 10 != 0) event.kind = Kind::call;
    return event;
  }

 private:
  std::mt19937 random_;
  std::vector<events::Thread> threads_;
  Nanoseconds time_ = 100;
};

std::string chaos_in(TraceFormat format) {
  Chaos chaos(11);
  const auto view = make_trace_view(format, {.began = 105, .colour = false});
  std::string out;
  for (int i = 0; i < 5'000; ++i) {
    view->add(chaos.next(), out);
    if (i % 7 == 0) view->settle(out);
  }
  view->finish({.began = 105, .ended = 20'000, .events = 5'000}, out);
  return out;
}

TEST(TraceView, TextForPeopleHasNoControlCharacters) {
  for (const TraceFormat format : {TraceFormat::tree, TraceFormat::dtrace, TraceFormat::stap, TraceFormat::summary}) {
    const std::string out = chaos_in(format);
    EXPECT_FALSE(out.empty());
    EXPECT_EQ(out.find('\033'), std::string::npos);
  }
}

TEST(TraceView, EachLineOfJsonlIsAnObject) {
  std::istringstream lines(chaos_in(TraceFormat::jsonl));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(json::parse(line).is_object());
  EXPECT_EQ(count, 5'001U);
}

TEST(TraceView, ChromeIsValidAndBalanced) {
  std::map<int, int> open;
  for (const json& event : json::parse(chaos_in(TraceFormat::chrome))) {
    int& count = open[event["tid"].get<int>()];
    if (event["ph"] == "B") ++count;
    if (event["ph"] == "E") --count;
    EXPECT_GE(count, 0);
  }
  for (const auto& [tid, count] : open) EXPECT_EQ(count, 0) << tid;
}

TEST(TraceView, NoEventAndNoLossGetsLostInAFilterThatLetsAllPass) {
  Chaos chaos(12);
  events::DurationFilter filter(0, 0);
  std::vector<Event> out;
  std::uint64_t lost = 0;
  for (int i = 0; i < 5'000; ++i) {
    const Event event = chaos.next();
    lost += event.lost;
    filter.add(event, out);
  }
  filter.advance(100'000, out);
  for (const Event& event : out) lost -= event.lost;
  EXPECT_LE(lost, 6U);  // what nothing came after that could say it
}

}  // namespace
}  // namespace flametap::format

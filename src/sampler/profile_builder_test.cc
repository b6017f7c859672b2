#include "sampler/profile_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flametap::sampler {
namespace {

using ::testing::ElementsAre;

constexpr Nanoseconds kMs = 1'000'000;

class OneProcess final : public SampledProcess {
 public:
  [[nodiscard]] profile::Process description() const override { return {7, "python a.py", "3.11.7"}; }
  [[nodiscard]] bool is_native() const override { return false; }
  [[nodiscard]] std::string thread_name(pid_t) const override { return "MainThread"; }
  [[nodiscard]] std::vector<NamedFrame> names_of(const stack::Frame& frame) const override {
    return {{profile::FrameKind::python, "f" + std::to_string(frame.number), "/a.py", "", 1, 2}};
  }
};

// One line per row: "TIME: FUNCTION STATE TICKS WEIGHT", times in milliseconds. State 1 is on a CPU, 17 ready, 0
// asleep.
class Rows final : public profile::Sink {
 public:
  Result<void> add(const profile::Profile& tables, const profile::Sample& sample) override {
    const auto frame = tables.stack(sample.stack).frame;
    lines.push_back(std::to_string(sample.time_ns / kMs) + ": " + std::string(tables.name(frame)) + " " +
                    std::to_string(sample.state) + " " + std::to_string(sample.ticks) + " " +
                    std::to_string(sample.weight_ns / kMs));
    return {};
  }
  Result<void> checkpoint(const profile::Profile&) override { return {}; }
  Result<void> finish(const profile::Profile&) override { return {}; }

  std::vector<std::string> lines;
};

class Recorded {
 public:
  struct What {
    Activity activity = Activity::on_cpu;
    bool may_be_ready = false;
    bool unchanged = false;
    bool dormant = false;
    std::uint32_t function = 1;
  };

  // A tick at the end of so many intervals of a millisecond, of which the last is its own.
  void tick(int intervals, const What& what, std::optional<target::TaskSchedstat> turns = {}) {
    now_ += static_cast<Nanoseconds>(intervals) * kMs;
    builder_.count_tick(static_cast<std::uint64_t>(intervals) - 1);
    const stack::Frame frame{stack::FrameKind::python, what.function, 2};
    Sampled sampled{.outcome = stack::Outcome::complete, .activity = what.activity, .may_be_ready = what.may_be_ready};
    sampled.unchanged = what.unchanged;
    sampled.dormant = what.dormant;
    sampled.turns = turns;
    const stack::State state =
        what.activity == Activity::asleep ? stack::State{0} : stack::on_cpu(what.activity == Activity::ready);
    builder_.add(process_number_, process_,
                 {.thread = 1,
                  .python = nullptr,
                  .tid = 7,
                  .sampled = sampled,
                  .state = state,
                  .frames = {&frame, 1},
                  .gil_holder = {},
                  .duration = 10},
                 {.time = now_, .weight = static_cast<Nanoseconds>(intervals) * kMs, .own_weight = kMs});
  }

  void tick_without_frames() {
    now_ += kMs;
    builder_.add(process_number_, process_,
                 {.thread = 1,
                  .python = nullptr,
                  .tid = 7,
                  .sampled = {.outcome = stack::Outcome::no_frames},
                  .state = 0,
                  .frames = {},
                  .gil_holder = {},
                  .duration = 10},
                 {.time = now_, .weight = kMs, .own_weight = kMs});
  }

  std::vector<std::string> rows() {
    Rows rows;
    EXPECT_TRUE(builder_.hand_on(rows).ok());
    return rows.lines;
  }

 private:
  OneProcess process_;
  ProfileBuilder builder_;
  std::size_t process_number_ = builder_.add_process(process_);
  Nanoseconds now_ = 0;
};

target::TaskSchedstat turns(Nanoseconds run_ms, Nanoseconds wait_ms, std::uint64_t slices) {
  return {.run_time = run_ms * kMs, .wait_time = wait_ms * kMs, .slices = slices};
}

TEST(ProfileBuilder, ASampleStandsForFiveIntervalsAtTheMost) {
  Recorded recorded;
  recorded.tick(1, {});
  recorded.tick(10, {});
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 1 1 1", "2: (not sampled) 1 0 5", "7: f1 1 1 5"));
}

TEST(ProfileBuilder, OneThatSleptOnStandsForAllOfIt) {
  Recorded recorded;
  recorded.tick(1, {.activity = Activity::asleep}, turns(5, 5, 9));
  recorded.tick(100, {.activity = Activity::asleep, .unchanged = true}, turns(5, 5, 9));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 0 2 101"));
}

TEST(ProfileBuilder, WhatTheKernelCountedInAGapIsNotTheNextSamples) {
  Recorded recorded;
  recorded.tick(1, {.activity = Activity::asleep}, turns(0, 0, 1));
  recorded.tick(11, {.activity = Activity::asleep, .function = 2}, turns(2, 3, 3));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 0 1 1", "2: (not sampled) 1 0 2", "4: (not sampled) 17 0 3",
                                           "7: (not sampled) 0 0 1", "8: f2 0 1 5"));
}

TEST(ProfileBuilder, AWaitThatFollowedASleepWasNoSleep) {
  Recorded recorded;
  recorded.tick(1, {.activity = Activity::asleep}, turns(0, 0, 1));
  for (int i = 0; i < 9; ++i) recorded.tick(1, {.activity = Activity::asleep, .unchanged = true}, turns(0, 0, 1));
  recorded.tick(1, {.function = 2}, turns(0, 4, 2));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 0 6 6", "7: f1 17 4 4", "11: f2 1 1 1"));
}

TEST(ProfileBuilder, WhatIsDoneWithoutPythonBelongsToNoSample) {
  Recorded recorded;
  recorded.tick(1, {.activity = Activity::asleep}, turns(0, 0, 1));
  recorded.tick_without_frames();
  recorded.tick(11, {.activity = Activity::asleep, .function = 2}, turns(20, 20, 9));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 0 1 1", "3: (not sampled) 0 0 6", "9: f2 0 1 5"));
}

TEST(ProfileBuilder, OneThatIsNotAtWorkGetsNothingOfTheAccount) {
  Recorded recorded;
  recorded.tick(1, {.activity = Activity::asleep}, turns(0, 0, 1));
  recorded.tick(11, {.activity = Activity::asleep, .dormant = true}, turns(5, 5, 9));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 0 1 1", "2: (not sampled) 0 0 6", "8: f1 0 1 5"));
}

TEST(ProfileBuilder, WhatSeemedToRunMayHaveWaited) {
  Recorded recorded;
  recorded.tick(1, {.may_be_ready = true}, turns(0, 0, 1));
  for (int i = 0; i < 9; ++i) recorded.tick(1, {.may_be_ready = true}, turns(0, 0, 1));
  recorded.tick(1, {.may_be_ready = true, .function = 2}, turns(5, 5, 2));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 17 5 5", "6: f1 1 5 5", "11: f2 1 1 1"));
}

TEST(ProfileBuilder, WhatIsKnownToRunStaysSo) {
  Recorded recorded;
  for (int i = 0; i < 10; ++i) recorded.tick(1, {}, turns(0, 0, 1));
  recorded.tick(1, {}, turns(5, 5, 2));
  EXPECT_THAT(recorded.rows(), ElementsAre("1: f1 1 11 11"));
}

TEST(ProfileBuilder, AThreadThatIsNewHasNotLivedThroughAGap) {
  Recorded recorded;
  recorded.tick(500, {}, turns(7000, 9000, 3));
  EXPECT_THAT(recorded.rows(), ElementsAre("500: f1 1 1 1"));
}

}  // namespace
}  // namespace flametap::sampler

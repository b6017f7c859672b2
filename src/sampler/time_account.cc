#include "sampler/time_account.h"

#include <algorithm>
#include <limits>

namespace flametap::sampler {
namespace {

// How far the account of a running thread lags behind at the most, where the kernel ticks 250 times a second.
constexpr std::int64_t kLongestLag = 4'000'000;

constexpr std::int64_t kMostKept = 100'000'000;
constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

Nanoseconds at_most(std::int64_t time, Nanoseconds limit) {
  return time <= 0 ? 0 : std::min(static_cast<Nanoseconds>(time), limit);
}

std::int64_t difference(Nanoseconds after, Nanoseconds before) { return static_cast<std::int64_t>(after - before); }

}  // namespace

TimeAccount::Difference TimeAccount::uncounted_run(const target::TaskSchedstat& turns) const {
  return difference(turns.run_time, since_->run_time) - on_cpu_;
}

TimeAccount::Difference TimeAccount::uncounted_ready(const target::TaskSchedstat& turns) const {
  return difference(turns.wait_time, since_->wait_time) - ready_;
}

TimeAccount::Parts TimeAccount::divide(Nanoseconds unseen, Activity now,
                                       const std::optional<target::TaskSchedstat>& turns) const {
  const bool same_turn = turns && since_ && turns->slices == since_->slices;
  if (!turns || !since_ || (same_turn && now == Activity::on_cpu)) {
    return {.on_cpu = now == Activity::on_cpu ? unseen : 0,
            .ready = now == Activity::ready ? unseen : 0,
            .asleep = now == Activity::asleep ? unseen : 0};
  }
  Parts parts;
  parts.on_cpu = at_most(uncounted_run(*turns), unseen);
  parts.ready = at_most(uncounted_ready(*turns), unseen - parts.on_cpu);
  const Nanoseconds rest = unseen - parts.on_cpu - parts.ready;
  switch (now) {
    case Activity::on_cpu:  // for how long, the account does not say yet
      parts.on_cpu += at_most(kLongestLag + std::min(uncounted_run(*turns), Difference{0}), rest);
      break;
    case Activity::ready:  // nor since when, if it slept before
      parts.ready += last_ == Activity::asleep ? rest / 2 : rest;
      break;
    case Activity::asleep:
      break;
  }
  parts.asleep = unseen - parts.on_cpu - parts.ready;
  return parts;
}

void TimeAccount::count(Activity activity, Nanoseconds time) {
  last_ = activity;
  if (activity == Activity::on_cpu) on_cpu_ += static_cast<Difference>(time);
  if (activity == Activity::ready) ready_ += static_cast<Difference>(time);
}

Nanoseconds TimeAccount::uncounted_wait(const target::TaskSchedstat& turns) const {
  return since_ ? at_most(uncounted_ready(turns), ~Nanoseconds{0}) : 0;
}

void TimeAccount::move_to_ready(Nanoseconds time) {
  on_cpu_ -= static_cast<Difference>(time);
  ready_ += static_cast<Difference>(time);
}

void TimeAccount::settle(Activity now, const target::TaskSchedstat& turns, Nanoseconds behind) {
  Difference run = 0;
  Difference wait = 0;
  if (since_) {
    const Difference least = -kMostKept - static_cast<Difference>(behind);
    const Difference most_wait = now == Activity::ready ? kForEver : kMostKept;  // the account lags behind as long
    run = std::clamp(-uncounted_run(turns), least, kMostKept);
    wait = std::clamp(-uncounted_ready(turns), least, most_wait);
  }
  since_ = turns;
  on_cpu_ = run;
  ready_ = wait;
}

}  // namespace flametap::sampler

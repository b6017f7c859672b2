#include "sampler/schedule.h"

#include <algorithm>

namespace flametap::sampler {

Schedule::Schedule(double rate_hz, Nanoseconds start, std::uint64_t seed)
    : interval_(rate_hz > 0 ? static_cast<double>(kSecond) / rate_hz : 0),
      start_(start),
      last_tick_(start),
      random_(static_cast<std::minstd_rand::result_type>(seed)) {}

Schedule::Tick Schedule::next(Nanoseconds now) {
  if (interval_ == 0) {
    const Nanoseconds weight = now - std::min(now, last_tick_);
    last_tick_ = now;
    return {now, weight, 0};
  }
  const auto current_slot = static_cast<std::uint64_t>(static_cast<double>(now - std::min(now, start_)) / interval_);
  const std::uint64_t missed = current_slot > next_slot_ ? current_slot - next_slot_ : 0;
  const std::uint64_t slot = next_slot_ + missed;
  next_slot_ = slot + 1;
  const double moment = std::uniform_real_distribution<double>(0, 1)(random_);
  const auto deadline = start_ + static_cast<Nanoseconds>((static_cast<double>(slot) + moment) * interval_);
  return {deadline, static_cast<Nanoseconds>(static_cast<double>(missed + 1) * interval_), missed};
}

std::uint64_t Schedule::passed(const Tick& tick, Nanoseconds now) const {
  if (interval_ == 0 || now < tick.deadline) return 0;
  return 1 + static_cast<std::uint64_t>(static_cast<double>(now - tick.deadline) / interval_);
}

}  // namespace flametap::sampler

// TrustedTime: which time profiles are old by. A clock may jump by years, when a battery is empty or a virtual machine
// wakes up; what was deleted then, because it had become too old in a moment, would be lost.
//
// A clock that is more than a day ahead of the last time seen is in doubt, and ages are taken by the last time that was
// not. It has proved right when it has gone on from there for a day, or when the server is started again a day later by
// it. If it goes back to before it was in doubt, it was wrong. Pure.
#pragma once

#include <optional>

#include "base/clock.h"

namespace flametap::store {

inline constexpr Nanoseconds kDay = 24 * 3600 * kSecond;

struct TrustedTime {
  Nanoseconds seen = 0;           // what the clock said last; 0: it was never asked
  Nanoseconds trusted = 0;        // the last time that was not in doubt
  Nanoseconds doubted_since = 0;  // what the clock said when it came in doubt; 0: it is not
  bool operator==(const TrustedTime&) const = default;
};

// What becomes of it when the clock says `now`. So much time has passed since it was asked last, by a clock that does
// not jump; nothing if that is not known, as the server was started in between.
[[nodiscard]] TrustedTime after(TrustedTime time, Nanoseconds now, std::optional<Nanoseconds> passed);

}  // namespace flametap::store

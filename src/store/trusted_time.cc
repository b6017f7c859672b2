#include "store/trusted_time.h"

namespace flametap::store {
namespace {

constexpr Nanoseconds kLeap = kDay;
constexpr Nanoseconds kProof = kDay;

}  // namespace

TrustedTime after(TrustedTime time, Nanoseconds now, std::optional<Nanoseconds> passed) {
  if (time.seen == 0) return {.seen = now, .trusted = now};
  bool leaps = now > time.seen + passed.value_or(0) + kLeap;
  if (time.doubted_since != 0 && now < time.doubted_since) {
    time.doubted_since = 0;
    leaps = now > time.trusted + kLeap;
  } else if (time.doubted_since != 0 && leaps) {
    // While the server was off, a day may well have gone by; while it ran, this is one more jump.
    if (!passed) time.trusted = time.doubted_since;
    time.doubted_since = now;
  } else if (time.doubted_since != 0 && now - time.doubted_since >= kProof) {
    time.doubted_since = 0;
  }
  if (leaps && time.doubted_since == 0) time.doubted_since = now;
  if (time.doubted_since == 0) time.trusted = now;
  time.seen = now;
  return time;
}

}  // namespace flametap::store

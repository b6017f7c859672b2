#include "sampler/approach.h"

#include <algorithm>

namespace flametap::sampler {

void Approach::note(bool verified) {
  if (verified) {
    verified_in_a_row_ = std::min(verified_in_a_row_ + 1, kCalm);
    pause_ = kMinPause;
    // A whole round went well: the next one need not wait.
    if (verified_in_a_row_ % kTrials == 0) samples_until_trial_ = 1;
  } else {
    // A calm thread is likely to be calm again at once.
    const bool was_calm = !stand_still();
    verified_in_a_row_ = 0;
    pause_ = was_calm ? kMinPause : std::min(kMaxPause, 2 * pause_);
    samples_until_trial_ = was_calm ? 1 : pause_;
  }
}

void Approach::put_off() {
  pause_ = std::min(kMaxPause, 2 * pause_);
  samples_until_trial_ = pause_;
}

bool Approach::trial_due() {
  if (--samples_until_trial_ > 0) return false;
  samples_until_trial_ = pause_;
  return true;
}

}  // namespace flametap::sampler

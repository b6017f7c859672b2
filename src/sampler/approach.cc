#include "sampler/approach.h"

#include <algorithm>

namespace flametap::sampler {

void Approach::note(bool verified) {
  failure_rate_ += ((verified ? 0.0 : 1.0) - failure_rate_) / kMemory;
  if (stand_still_) {
    pause_ = verified ? std::max(kMinPause, pause_ - pause_ / 8) : std::min(kMaxPause, pause_ + pause_ / 8);
    stand_still_ = failure_rate_ > kRareAgain;
  } else {
    stand_still_ = failure_rate_ > kTooOften;
    samples_until_trial_ = pause_;
  }
}

bool Approach::trial_due() {
  if (--samples_until_trial_ > 0) return false;
  samples_until_trial_ = pause_;
  return true;
}

}  // namespace flametap::sampler

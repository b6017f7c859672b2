// Approach: whether a thread is read while it runs on, or from its own CPU, where it stands still.
//
// A reading from another core costs the target nothing, but it fails more often while the target is in short functions
// than while it is in long ones. Whatever is done about the failed ones, the others lean towards the long ones: the
// shares are wrong by up to the rate of failures. So that rate, measured all the time, decides: above 0.5 % every
// sample of this thread is taken standing still, whatever the free reading would have said. Now and then a free reading
// is tried besides, only to measure the rate; its result is never a sample.
#pragma once

#include <cstdint>

namespace flametap::sampler {

class Approach {
 public:
  [[nodiscard]] bool stand_still() const { return stand_still_; }

  // The first free reading of a sample, or a trial, was verified or not.
  void note(bool verified);

  // While standing still: is a round of trials due with this sample?
  [[nodiscard]] bool trial_due();
  // How many free readings one round tries.
  static constexpr int kTrials = 16;

 private:
  static constexpr double kMemory = 256;  // readings
  static constexpr double kTooOften = 0.005;
  static constexpr double kRareAgain = 0.001;
  static constexpr std::uint32_t kMinPause = 64;  // samples between two rounds of trials
  static constexpr std::uint32_t kMaxPause = 4096;

  double failure_rate_ = 0;
  bool stand_still_ = false;
  std::uint32_t samples_until_trial_ = kMinPause;
  std::uint32_t pause_ = kMinPause;
};

}  // namespace flametap::sampler

// Approach: whether a thread is read while it runs on, or from its own CPU, where it stands still.
//
// A reading from another core costs the target nothing, but it fails more often while the target is in short functions
// than while it is in long ones. Whatever is done about the failed ones, the others lean towards the long ones: the
// shares are wrong by up to the rate of failures. And a thread that calls several times during one reading can make two
// readings agree by chance. So a thread is read freely only while that never fails: after a long run of verified free
// readings, and until the first one that is not. Otherwise every sample is taken standing still, whatever a free
// reading would have said; now and then some free readings are tried between samples, only to see whether it has calmed
// down. They are never samples, and no sample waits for them.
#pragma once

#include <cstdint>

namespace flametap::sampler {

class Approach {
 public:
  [[nodiscard]] bool stand_still() const { return verified_in_a_row_ < kCalm; }

  // A free reading, of a sample or a trial, was verified or not.
  void note(bool verified);

  // A trial took too long to say anything: the next one has time.
  void put_off();

  // While standing still: is a round of trials due after this sample?
  [[nodiscard]] bool trial_due();
  // How many free readings one round tries at the most: it ends with the first that fails.
  static constexpr std::uint32_t kTrials = 32;  // as far apart as there is time for them

 private:
  static constexpr std::uint32_t kCalm = 256;     // then at most about one reading in a hundred fails
  static constexpr std::uint32_t kMinPause = 16;  // samples between two rounds of trials
  static constexpr std::uint32_t kMaxPause = 1024;

  std::uint32_t verified_in_a_row_ = 0;
  std::uint32_t pause_ = kMinPause;
  std::uint32_t samples_until_trial_ = 1;
};

}  // namespace flametap::sampler

// Sink: where a recorder hands on what it records, sample by sample, so that it need not keep all of it.
//
// `tables` is the same growing Profile in every call: strings, functions, frames, stacks, processes, threads, and the
// recording's data so far. Its ids are dense and only grow; what an id stands for never changes; a sample names only
// ids that are in it. Its own list of samples is not looked at. An error is final: nothing is to be added after it.
// All calls come from one thread.
#pragma once

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::profile {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  [[nodiscard]] virtual Result<void> add(const Profile& tables, const Sample& sample) = 0;

  // Whatever was added so far survives our death from now on. Not the machine's: nobody waits for the disk.
  [[nodiscard]] virtual Result<void> checkpoint(const Profile& tables) = 0;

  // The recording is complete, and `tables.recording.ended` says why it ended. The last call.
  [[nodiscard]] virtual Result<void> finish(const Profile& tables) = 0;
};

}  // namespace flametap::profile

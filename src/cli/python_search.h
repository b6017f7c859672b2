// PythonSearch: waits for the Python in a command that was started: in the process itself, whatever it executes first
// (a shell, env, a launcher), or in the first of its descendants that is one.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "cli/launch.h"
#include "sampler/process_sampler.h"

namespace flametap::cli {

class PythonSearch {
 public:
  // `launched` and `stop` must outlive it.
  PythonSearch(const Launched& launched, const std::atomic<bool>& stop, sampler::ProcessSampler::Options options)
      : launched_(launched), stop_(stop), options_(options) {}

  // Waits until there is a Python, the command has ended, `stop` is set or the deadline is over. Null: none was found.
  [[nodiscard]] std::unique_ptr<sampler::ProcessSampler> find(std::optional<Nanoseconds> deadline);

  // Why a process could not be attached to though there may be a Python in it, if that happened.
  [[nodiscard]] const std::optional<Error>& denied() const { return denied_; }

 private:
  [[nodiscard]] std::unique_ptr<sampler::ProcessSampler> try_once();
  [[nodiscard]] std::unique_ptr<sampler::ProcessSampler> try_process(pid_t pid);

  const Launched& launched_;
  const std::atomic<bool>& stop_;
  sampler::ProcessSampler::Options options_;
  std::optional<Error> denied_;
};

}  // namespace flametap::cli

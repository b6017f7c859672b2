// PythonSearch: waits for the first Python in some processes, or in a process that comes from one of them. Such a
// process may be a command that was started, whatever it executes first (a shell, env, a launcher), or one that ran
// before and is not a Python itself.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/launch.h"
#include "sampler/process_sampler.h"

namespace flametap::cli {

class PythonSearch {
 public:
  // `launched` and `stop` must outlive it.
  PythonSearch(const Launched& launched, const std::atomic<bool>& stop, sampler::ProcessSampler::Options options)
      : PythonSearch(
            {launched.pid()}, [&launched] { return launched.ended(); }, stop, options) {}
  // `have_ended` says whether all of these processes have. `stop` must outlive it.
  PythonSearch(std::vector<pid_t> pids, std::function<bool()> have_ended, const std::atomic<bool>& stop,
               sampler::ProcessSampler::Options options)
      : pids_(std::move(pids)), have_ended_(std::move(have_ended)), stop_(stop), options_(options) {}

  // Waits until there is a Python, the processes have ended, `stop` is set or the deadline is over. Returns null if
  // none was found.
  [[nodiscard]] std::unique_ptr<sampler::ProcessSampler> find(std::optional<Nanoseconds> deadline);

  // Why a process could not be attached to though there may be a Python in it, if that happened.
  [[nodiscard]] const std::optional<Error>& denied() const { return denied_; }

 private:
  [[nodiscard]] std::unique_ptr<sampler::ProcessSampler> try_once();
  [[nodiscard]] std::unique_ptr<sampler::ProcessSampler> try_process(pid_t pid);

  std::vector<pid_t> pids_;
  std::function<bool()> have_ended_;
  const std::atomic<bool>& stop_;
  sampler::ProcessSampler::Options options_;
  std::optional<Error> denied_;
};

// The Pythons among the descendants of a process, the nearest first. At most so many processes are looked at.
[[nodiscard]] std::vector<pid_t> python_descendants(pid_t pid, std::size_t most);

}  // namespace flametap::cli

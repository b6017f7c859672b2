#include "cli/python_search.h"

#include <algorithm>
#include <utility>

#include "target/process_tree.h"

namespace flametap::cli {
namespace {

constexpr Nanoseconds kShortestPause = 1'000'000;
constexpr Nanoseconds kLongestPause = 20'000'000;

}  // namespace

// The longer it takes, the less it hurries: a Python that starts is found within a millisecond or a fiftieth of the
// time that the command took to start it.
std::unique_ptr<sampler::ProcessSampler> PythonSearch::find(std::optional<Nanoseconds> deadline) {
  const Nanoseconds start = monotonic_now();
  for (;;) {
    const bool ended = have_ended_();
    if (ended || stop_ || (deadline && monotonic_now() >= *deadline)) return nullptr;
    if (auto found = try_once()) return found;
    sleep_for(std::clamp((monotonic_now() - start) / 50, kShortestPause, kLongestPause));
  }
}

std::unique_ptr<sampler::ProcessSampler> PythonSearch::try_once() {
  for (const pid_t root : pids_) {
    if (auto found = try_process(root)) return found;
    for (const pid_t pid : target::descendants(root)) {
      if (auto found = try_process(pid)) return found;
    }
  }
  return nullptr;
}

std::unique_ptr<sampler::ProcessSampler> PythonSearch::try_process(pid_t pid) {
  auto attached = sampler::ProcessSampler::attach(pid, options_);
  if (attached) return std::move(*attached);
  if (attached.error().kind == Failure::not_permitted) denied_ = attached.error();
  return nullptr;
}

std::vector<pid_t> python_descendants(pid_t pid, std::size_t most) {
  std::vector<pid_t> found = target::descendants(pid);
  found.resize(std::min(found.size(), most));
  std::erase_if(found, [](pid_t each) { return !sampler::ProcessSampler::attach(each, {}); });
  return found;
}

}  // namespace flametap::cli

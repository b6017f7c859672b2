#include "sampler/successors.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace flametap::sampler {
namespace {

constexpr Nanoseconds kShortestPause = 1'000'000;
constexpr Nanoseconds kLongestPause = 20'000'000;
constexpr int kHaste = 8;                       // the longer it takes, the less often we try
constexpr Nanoseconds kPatience = 2 * kSecond;  // a program that is no Python by then will not become one

}  // namespace

Successors::~Successors() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Successors::expect(const ProcessSampler& process) {
  auto opened = target::Process::open(process.process().pid());
  if (!opened || opened->start_time() != process.process().start_time()) return;  // it has ended
  const Nanoseconds now = monotonic_now();
  {
    const std::lock_guard lock(mutex_);
    candidates_.push_back({std::move(*opened), process.program(), now, now});
  }
  changed_.notify_one();
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

std::vector<std::unique_ptr<ProcessSampler>> Successors::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(found_, {});
}

bool Successors::awaited() const {
  const std::lock_guard lock(mutex_);
  return is_trying_ || !candidates_.empty() || !found_.empty();
}

void Successors::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const auto first = std::ranges::min_element(candidates_, {}, &Candidate::next_try);
    if (first == candidates_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (const Nanoseconds now = monotonic_now(); now < first->next_try) {
      changed_.wait_for(lock, std::chrono::nanoseconds(first->next_try - now));
      continue;
    }
    Candidate candidate = std::move(*first);
    candidates_.erase(first);
    is_trying_ = true;
    lock.unlock();
    const bool is_done = try_once(candidate);
    lock.lock();
    is_trying_ = false;
    if (!is_done) candidates_.push_back(std::move(candidate));
  }
}

bool Successors::try_once(Candidate& candidate) {
  auto attached = ProcessSampler::attach(candidate.process.pid(), options_);
  if (!candidate.process.alive()) return true;
  if (attached) {
    const std::lock_guard lock(mutex_);
    found_.push_back(std::move(*attached));
    return true;
  }
  if (attached.error().kind == Failure::not_permitted) return true;
  const Nanoseconds now = monotonic_now();
  if (auto program = ProcessSampler::program_of(candidate.process); program && *program != candidate.program) {
    candidate.program = std::move(*program);
    candidate.since = now;
  }
  candidate.next_try = now + std::clamp((now - candidate.since) / kHaste, kShortestPause, kLongestPause);
  return now - candidate.since > kPatience;
}

}  // namespace flametap::sampler

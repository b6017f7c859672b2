// ThreadNumbers: one number for each thread of a process, the same for as long as it lives.
//
// A thread of the system that calls Python now and then (PyGILState_Ensure) has another Python thread state at each
// visit, and none in between. It stays one thread all the same. Only where it runs code of several interpreters, it is
// one thread in each of them.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace flametap::sampler {

class ThreadNumbers {
 public:
  // `tid` 0: it is not known, and so is met for the first time each time.
  [[nodiscard]] std::uint64_t number_of(pid_t tid, std::int64_t interpreter) {
    if (tid == 0) return next_++;
    const auto [place, is_new] = numbers_.emplace(std::pair(tid, interpreter), next_);
    if (is_new) ++next_;
    return place->second;
  }

  // Of all threads that the process has now.
  void keep_only(const std::vector<pid_t>& tids) {
    std::erase_if(numbers_,
                  [&](const auto& entry) { return std::ranges::find(tids, entry.first.first) == tids.end(); });
  }

  [[nodiscard]] bool has(std::uint64_t number) const {
    return std::ranges::any_of(numbers_, [&](const auto& entry) { return entry.second == number; });
  }

 private:
  std::map<std::pair<pid_t, std::int64_t>, std::uint64_t> numbers_;
  std::uint64_t next_ = 0;
};

}  // namespace flametap::sampler

// Programs: interpreters that were found already, by the program that a process runs. A process that was forked runs
// the same program at the same addresses as its parent, so that what was found in one holds in the other; searching
// takes milliseconds, which a process that lives for thirty of them does not have to give.
//
// Any thread may ask.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "cpython/interpreter.h"

namespace flametap::sampler {

class Programs {
 public:
  // `auxv`: what the kernel told the program at its start: the random addresses in it are never the same twice.
  [[nodiscard]] std::optional<cpython::Interpreter> find(const std::string& auxv) const {
    const std::lock_guard lock(mutex_);
    const auto known = interpreters_.find(auxv);
    return known == interpreters_.end() ? std::nullopt : std::optional(known->second);
  }
  void add(const std::string& auxv, const cpython::Interpreter& interpreter) {
    const std::lock_guard lock(mutex_);
    if (interpreters_.size() < kMost) interpreters_.emplace(auxv, interpreter);
  }

 private:
  static constexpr std::size_t kMost = 1024;
  mutable std::mutex mutex_;
  std::map<std::string, cpython::Interpreter> interpreters_;
};

}  // namespace flametap::sampler

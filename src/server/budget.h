// Budget: how many bytes all requests together may hold in memory. Every call may come from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace flametap::server {

class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : left_(static_cast<std::int64_t>(bytes)) {}

  // False, and nothing is taken, if there is not so much left.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    const auto wanted = static_cast<std::int64_t>(bytes);
    if (left_.fetch_sub(wanted) >= wanted) return true;
    left_.fetch_add(wanted);
    return false;
  }
  void give_back(std::uint64_t bytes) { left_.fetch_add(static_cast<std::int64_t>(bytes)); }

 private:
  std::atomic<std::int64_t> left_;
};

// A part of a budget, given back at its end.
class Share {
 public:
  explicit Share(Budget& budget) : budget_(&budget) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { clear(); }

  // Makes it this large, if it is smaller; false if the budget does not have that.
  [[nodiscard]] bool grow_to(std::uint64_t bytes) {
    if (bytes <= held_) return true;
    if (!budget_->take(bytes - held_)) return false;
    held_ = bytes;
    return true;
  }
  void clear() { budget_->give_back(std::exchange(held_, 0)); }

 private:
  Budget* budget_;
  std::uint64_t held_ = 0;
};

}  // namespace flametap::server

#include "tracer/teacher.h"

#include <algorithm>
#include <iterator>

#include "target/process.h"
#include "tracer/python_layout.h"

namespace flametap::tracer {
namespace {

// An interpreter that is just starting is found within milliseconds; one that is not found within seconds, never.
constexpr Nanoseconds kHurry = kSecond / 10;
constexpr Nanoseconds kNextTry = kSecond / 10;
constexpr Nanoseconds kPatience = 5 * kSecond;

}  // namespace

void Teacher::meet(const events::Thread& thread) {
  untaught_.try_emplace(thread.pid, Untaught{.met = monotonic_now()});
}

bool Teacher::is_in_a_hurry() const {
  const Nanoseconds now = monotonic_now();
  return std::ranges::any_of(untaught_, [&](const auto& each) { return now - each.second.met < kHurry; });
}

// Whether it is done with, taught or not.
bool Teacher::try_to_teach(pid_t pid, Nanoseconds met) {
  const Python* const python = pythons_.find(pid);
  // Of a process that ended there is nothing to find out any more.
  if (python == nullptr) return monotonic_now() - met > kPatience || !target::Process::open(pid).ok();
  const auto layout = python_layout(*python->interpreter);
  if (layout) probes_.teach(pid, *layout);
  // The kernel forgets a process that ends; one that ended before must not be known to the next of its number.
  if (layout && !python->process.alive()) probes_.unteach(pid);
  return true;
}

void Teacher::teach() {
  const Nanoseconds now = monotonic_now();
  for (auto each = untaught_.begin(); each != untaught_.end();) {
    Untaught& state = each->second;
    const bool is_due = now >= state.next_try;
    if (is_due && now - state.met >= kHurry) state.next_try = now + kNextTry;
    each = is_due && try_to_teach(each->first, state.met) ? untaught_.erase(each) : std::next(each);
  }
}

}  // namespace flametap::tracer

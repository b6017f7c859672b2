#include "tracer/call_counter.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "cpython/text.h"

namespace flametap::tracer {
namespace {

// A text of the target in a field that it need not fill.
std::string text_of(std::span<const char> field) {
  const std::size_t size = ::strnlen(field.data(), field.size());
  return cpython::utf8_from_bytes(std::as_bytes(field.first(size)));
}

bool is_gone(const std::map<pid_t, bool>& is_alive, pid_t pid) {
  const auto known = is_alive.find(pid);
  return known != is_alive.end() && !known->second;
}

CalledFunction called(const flametap_counted& what) {
  return {.pid = static_cast<pid_t>(what.pid),
          .line = std::max(what.line, 0),
          .file = text_of(what.function.file),
          .function = text_of(what.function.name.text)};
}

}  // namespace

CallCounter::CallCounter(Probes& probes, Pythons& pythons, Pattern function, Pattern file)
    : probes_(probes),
      function_(std::move(function)),
      file_(std::move(file)),
      teacher_(probes, pythons),
      target_(pythons),
      reader_(target_) {}

std::vector<CallCount> CallCounter::take() {
  probes_.read([this](std::span<const std::byte> record) {
    for (const events::Event& event : reader_.read(record)) {
      if (event.kind == events::Kind::thread_end) reader_.release(event.thread);
      if (event.kind != events::Kind::call) continue;
      ++long_names_[{.pid = event.thread->pid,
                     .line = std::max(event.line, 0),
                     .file = std::string(event.file),
                     .function = std::string(event.function)}];
    }
  });
  for (const auto& newcomer : reader_.take_newcomers()) teacher_.meet(*newcomer.thread);
  teacher_.teach();
  std::map<CalledFunction, std::uint64_t> now = long_names_;
  std::map<pid_t, bool> is_alive;  // asked before its counts are read: afterwards it may have counted more
  for (const pid_t pid : pids_) is_alive[pid] = ::kill(pid, 0) == 0 || errno != ESRCH;
  for (const Probes::Count& count : probes_.counts()) {
    now[called(count.what)] += count.calls;
    pids_.insert(static_cast<pid_t>(count.what.pid));
    if (is_gone(is_alive, static_cast<pid_t>(count.what.pid))) probes_.forget(count.what);
  }

  std::vector<CallCount> since;
  for (const auto& [what, calls] : now) {
    const auto before = counted_.find(what);
    const std::uint64_t more = calls - (before == counted_.end() ? 0 : before->second);
    if (more > 0 && function_.matches(what.function) && file_.matches(what.file)) since.push_back({what, more});
  }
  std::ranges::stable_sort(since, std::ranges::greater{}, &CallCount::calls);
  // Of processes that are no more nothing is kept, here or in the kernel.
  std::erase_if(now, [&](const auto& each) { return is_gone(is_alive, each.first.pid); });
  std::erase_if(long_names_, [&](const auto& each) { return is_gone(is_alive, each.first.pid); });
  std::erase_if(pids_, [&](pid_t pid) { return is_gone(is_alive, pid); });
  counted_ = std::move(now);
  return since;
}

}  // namespace flametap::tracer

#include "tracer/call_counter.h"

#include <algorithm>
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
  for (const Probes::Count& count : probes_.counts()) now[called(count.what)] += count.calls;

  std::vector<CallCount> since;
  for (const auto& [what, calls] : now) {
    const auto before = counted_.find(what);
    const std::uint64_t more = calls - (before == counted_.end() ? 0 : before->second);
    if (more > 0 && function_.matches(what.function) && file_.matches(what.file)) since.push_back({what, more});
  }
  std::ranges::stable_sort(since, std::ranges::greater{}, &CallCount::calls);
  counted_ = std::move(now);
  return since;
}

}  // namespace flametap::tracer

#include "format/timeline.h"

#include <algorithm>
#include <cstddef>

#include "format/limits.h"
#include "profile/filter.h"

namespace flametap::format {
namespace {

using profile::Profile;
using profile::Sample;

constexpr std::uint64_t kTickOfUnknownLength_ns = 1'000'000;

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return std::min(a + std::min(b, kMaxSum), kMaxSum); }

// A sample without ticks is a stretch of time with an exact end.
std::uint64_t tick_ns(const Sample& sample) { return sample.ticks == 0 ? 0 : sample.weight_ns / sample.ticks; }

// A thread has one sample at a time: where two have the same, nobody wrote down when they were taken.
bool has_times(const std::vector<const Sample*>& samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i]->time_ns == samples[i - 1]->time_ns) return false;
  }
  return true;
}

std::vector<Span> one_after_the_other(const std::vector<const Sample*>& samples, bool timed) {
  std::vector<Span> spans;
  std::uint64_t now = 0;
  for (const Sample* sample : samples) {
    const std::uint64_t ticks = std::min(sample->ticks, kMaxSum / kTickOfUnknownLength_ns);
    const std::uint64_t end = sum(now, timed ? sample->weight_ns : ticks * kTickOfUnknownLength_ns);
    spans.push_back({now, end, sample});
    now = end;
  }
  return spans;
}

}  // namespace

std::vector<std::vector<const Sample*>> samples_by_thread(const Profile& profile) {
  std::vector<std::vector<const Sample*>> result(profile.threads().size());
  for (const Sample& sample : profile.samples()) result[static_cast<std::size_t>(sample.thread)].push_back(&sample);
  for (std::vector<const Sample*>& samples : result) {
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample* a, const Sample* b) { return a->time_ns < b->time_ns; });
  }
  return result;
}

std::string track_name(const Profile& profile, const profile::Thread& thread) {
  const std::string name = thread_label(thread);
  if (profile.processes().size() < 2) return name;
  return process_label(profile.process(thread.process)) + " " + name;
}

std::vector<Span> timeline_of(const Profile& profile, const std::vector<const Sample*>& samples) {
  const bool timed = profile.total_weight_ns() > 0;
  if (!timed || !has_times(samples)) return one_after_the_other(samples, timed);
  std::vector<Span> spans;
  for (const Sample* sample : samples) {
    if (!spans.empty()) {
      Span& before = spans.back();
      const std::uint64_t tick = std::max(tick_ns(*before.sample), tick_ns(*sample));
      if (sum(before.end_ns, tick) >= sample->time_ns) before.end_ns = sample->time_ns;
    }
    spans.push_back({sample->time_ns, sum(sample->time_ns, sample->weight_ns), sample});
  }
  return spans;
}

void functions_of(const Profile& profile, const Sample& sample, std::vector<profile::FunctionId>& functions) {
  functions.clear();
  for (profile::StackId at = sample.stack; at != profile::kEmptyStack; at = profile.stack(at).parent) {
    functions.push_back(profile.frame(profile.stack(at).frame).function);
  }
  const profile::Thread& thread = profile.thread(sample.thread);
  const auto is_said_already = [&](profile::FunctionId id) {
    const profile::Function& function = profile.function(id);
    if (function.kind != profile::FrameKind::marker) return false;
    const std::string_view name = profile.text(function.name);
    return name == thread_label(thread) || name == process_label(profile.process(thread.process));
  };
  while (!functions.empty() && is_said_already(functions.back())) functions.pop_back();
  std::reverse(functions.begin(), functions.end());
}

std::string_view state_word(const Profile& profile, const Sample& sample) {
  if (profile.recording.mode == profile::Mode::unknown) return "";
  if ((sample.state & stack::kInGc) != 0) return "(gc)";
  if ((sample.state & stack::kWaitsForGil) != 0) return "(waiting for the GIL)";
  if ((sample.state & stack::kReady) != 0) return "(waiting for a CPU)";
  return sample.state == 0 ? "(idle)" : "";
}

}  // namespace flametap::format

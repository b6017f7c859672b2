#include "profile/merge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/common.h"
#include "profile/filter.h"

namespace flametap::profile {
namespace {

constexpr std::uint64_t kMaxSum = std::numeric_limits<std::int64_t>::max();  // some formats have signed numbers

// Counts that come from files may be anything.
void add_to(std::uint64_t& sum, std::uint64_t more) {
  sum += std::min(more, std::numeric_limits<std::uint64_t>::max() - sum);
}

std::uint64_t time_sum(std::uint64_t a, std::uint64_t b) {
  return std::min(std::min(a, kMaxSum) + std::min(b, kMaxSum), kMaxSum);
}

void add_to(Quality& sum, const Quality& more) {
  add_to(sum.ticks, more.ticks);
  add_to(sum.missed_ticks, more.missed_ticks);
  add_to(sum.free_running, more.free_running);
  add_to(sum.interrupted, more.interrupted);
  add_to(sum.ride_along, more.ride_along);
  add_to(sum.paused, more.paused);
  add_to(sum.torn, more.torn);
  add_to(sum.unreadable, more.unreadable);
  add_to(sum.no_frames, more.no_frames);
  add_to(sum.truncated, more.truncated);
  add_to(sum.unmerged, more.unmerged);
  add_to(sum.native_truncated, more.native_truncated);
  add_to(sum.guessed, more.guessed);
  for (const auto& [name, count] : more.more) add_to(sum.more[name], count);
}

std::uint64_t earliest_start(std::span<const Profile> recordings) {
  std::uint64_t start = 0;
  for (const Profile& recording : recordings) {
    const std::uint64_t own = recording.recording.start_unix_ns;
    if (own != 0 && (start == 0 || own < start)) start = own;
  }
  return start;
}

Recording merged_recording(std::span<const Profile> recordings) {
  Recording whole = recordings.front().recording;
  whole.start_unix_ns = earliest_start(recordings);
  whole.duration_ns = 0;
  whole.mode = common_mode(recordings);
  whole.quality = {};
  std::uint64_t merged = 0;
  for (const Profile& each : recordings) {
    const Recording& one = each.recording;
    const std::uint64_t offset = one.start_unix_ns == 0 ? 0 : one.start_unix_ns - whole.start_unix_ns;
    whole.duration_ns = std::max(whole.duration_ns, time_sum(one.duration_ns, offset));
    whole.native = whole.native || one.native;
    if (one.rate_hz != whole.rate_hz) whole.rate_hz = 0;
    if (one.ended != whole.ended) whole.ended = "several recordings ended";
    add_to(whole.quality, one.quality);
    if (!one.quality.more.contains(std::string(kMergedRecordings))) ++merged;
  }
  add_to(whole.quality.more[std::string(kMergedRecordings)], merged);
  return whole;
}

// Copies the tables of one recording and keeps what each id became. All are in an order in which they build on each
// other.
class Copier {
 public:
  Copier(const Profile& from, Profile& to) : from_(from), to_(to) {}

  // The samples come out last, for all recordings to be brought into one order.
  void copy(std::vector<Sample>& samples) {
    copy_tables();
    const Recording& recording = from_.recording;
    const std::uint64_t offset =
        recording.start_unix_ns == 0 ? 0 : recording.start_unix_ns - to_.recording.start_unix_ns;
    for (Sample sample : from_.samples()) {
      if (!in_mode(sample.state, to_.recording.mode)) continue;
      sample.time_ns = time_sum(sample.time_ns, offset);
      sample.thread = threads_[static_cast<std::size_t>(sample.thread)];
      sample.stack = stacks_[static_cast<std::size_t>(sample.stack)];
      samples.push_back(sample);
    }
  }

 private:
  void copy_tables() {
    std::vector<ProcessId> processes;
    for (const Process& process : from_.processes()) processes.push_back(to_.add(process));
    for (Thread thread : from_.threads()) {
      thread.process = processes[static_cast<std::size_t>(thread.process)];
      threads_.push_back(to_.add(thread));
    }
    std::vector<FrameId> frames;
    for (std::size_t i = 0; i < from_.frame_count(); ++i) {
      const Frame& frame = from_.frame(FrameId(i));
      Function function = from_.function(frame.function);
      function.name = to_.intern(from_.text(function.name));
      function.file = to_.intern(from_.text(function.file));
      function.module = to_.intern(from_.text(function.module));
      frames.push_back(to_.intern(Frame{to_.intern(function), frame.line}));
    }
    stacks_.push_back(kEmptyStack);
    for (std::size_t i = 1; i < from_.stack_count(); ++i) {
      const Stack& stack = from_.stack(StackId(i));
      stacks_.push_back(
          to_.push(stacks_[static_cast<std::size_t>(stack.parent)], frames[static_cast<std::size_t>(stack.frame)]));
    }
  }

  const Profile& from_;
  Profile& to_;
  std::vector<ThreadId> threads_;
  std::vector<StackId> stacks_;
};

// Of a file that changed between two recordings no text fits all samples.
void copy_sources(std::span<const Profile> recordings, Profile& whole) {
  std::map<std::string_view, const std::string*> texts;  // null: there are several
  for (const Profile& recording : recordings) {
    for (const auto& [path, text] : recording.sources()) {
      const auto [known, is_new] = texts.try_emplace(recording.text(path), &text);
      if (!is_new && known->second != nullptr && *known->second != text) known->second = nullptr;
    }
  }
  for (const auto& [path, text] : texts) {
    if (text != nullptr) whole.add_source(whole.intern(path), *text);
  }
}

}  // namespace

Result<Profile> merge(std::span<const Profile> recordings) {
  Profile whole;
  if (recordings.empty()) return whole;
  const Result<Measures> measures = common_measures(recordings);
  if (!measures) return measures.error();
  whole.recording = merged_recording(recordings);
  std::vector<Sample> samples;
  for (const Profile& recording : recordings) Copier(recording, whole).copy(samples);
  std::stable_sort(samples.begin(), samples.end(),
                   [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
  for (Sample& sample : samples) {
    if (!measures->time) sample.weight_ns = 0;
    if (!measures->ticks) sample.ticks = 0;
    if (sample.ticks > kMaxSum - whole.total_ticks() || sample.weight_ns > kMaxSum - whole.total_weight_ns()) {
      return Error{Failure::failed, "the samples add up to too much", ""};
    }
    whole.add(sample);
  }
  copy_sources(recordings, whole);
  return whole;
}

}  // namespace flametap::profile

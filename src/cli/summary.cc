#include "cli/summary.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "cli/hottest.h"
#include "format/text.h"

namespace flametap::cli {
namespace {

using format::with_commas;

constexpr std::size_t kHottest = 5;
constexpr double kMuchQueueing = 0.2;

// The names of counts are plurals: "child processes closed to us".
std::string counted(std::uint64_t count, std::string name) {
  constexpr std::string_view kPlural = "processes";
  const auto at = name.find(kPlural);
  if (count == 1 && at != std::string::npos) name.replace(at, kPlural.size(), "process");
  return with_commas(count) + " " + name;
}

// What was read, by the step that did it, and what was not: every count that is not zero, and the losses always.
std::string samples_line(const profile::Quality& quality) {
  const std::uint64_t read = quality.verified();
  std::string text = with_commas(read) + (read == 1 ? " sample" : " samples");
  std::string_view before = " (";
  for (const auto& [count, step] : {std::pair{quality.free_running, "free running"},
                                    {quality.interrupted, "in an interrupt"},
                                    {quality.ride_along, "riding along"},
                                    {quality.paused, "paused"}}) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", std::exchange(before, ", "), with_commas(count), step);
  }
  if (read > 0) text += ")";
  text += fmt::format("; {} torn, {} unreadable", with_commas(quality.torn), with_commas(quality.unreadable));
  if (quality.truncated > 0) text += fmt::format(", {} truncated", with_commas(quality.truncated));
  if (quality.no_frames > 0) text += fmt::format(", {} without Python frames", with_commas(quality.no_frames));
  for (const auto& [name, count] : quality.more) text += ", " + counted(count, format::clean(name));
  return text;
}

// What became of the C stacks, each of all samples that were read.
std::string native_line(const profile::Quality& quality) {
  const std::uint64_t read = quality.verified();
  const auto share = [&](std::uint64_t part) {
    return format::human_share(read == 0 ? 0 : static_cast<double>(part) / static_cast<double>(read));
  };
  std::string text = fmt::format("C stacks: unmerged {} of {} ({})", with_commas(quality.unmerged), with_commas(read),
                                 share(quality.unmerged));
  if (quality.unmerged > 0) text += ", shown as Python only";
  if (quality.native_truncated > 0) {
    text += fmt::format("; truncated {} ({})", with_commas(quality.native_truncated), share(quality.native_truncated));
  }
  if (quality.guessed > 0)
    text += fmt::format("; guessed {} ({})", with_commas(quality.guessed), share(quality.guessed));
  if (quality.median_stop_ns > 0)
    text += fmt::format("; a stop took {} (median)", format::human_time(quality.median_stop_ns));
  return text;
}

// A process that executes another program is two processes of the recording, but its first thread is still the same.
std::size_t count_threads(const profile::Profile& all) {
  std::map<std::int32_t, profile::ProcessId> of_pid;
  std::size_t count = 0;
  for (const profile::Thread& thread : all.threads()) {
    const std::int32_t pid = all.process(thread.process).pid;
    const bool is_first = thread.id == static_cast<std::uint64_t>(pid);
    if (!is_first || of_pid.emplace(pid, thread.process).first->second == thread.process) ++count;
  }
  return count;
}

// How long threads did what, each of the wall time of all of them.
struct Times {
  std::uint64_t on_cpu = 0;
  std::uint64_t ready = 0;
  std::uint64_t with_gil = 0;
  std::uint64_t waiting = 0;
  std::uint64_t in_gc = 0;
  std::uint64_t not_sampled = 0;
  std::uint64_t not_sampled_on_cpu = 0;
};

Times times_of(const profile::Profile& all) {
  Times times;
  for (const profile::Sample& sample : all.samples()) {
    const bool ready = (sample.state & stack::kReady) != 0;
    const bool on_cpu = !ready && (sample.state & stack::kOnCpu) != 0;
    if (ready) times.ready += sample.weight_ns;
    if (on_cpu) times.on_cpu += sample.weight_ns;
    if ((sample.state & stack::kHoldsGil) != 0) times.with_gil += sample.weight_ns;
    if ((sample.state & stack::kWaitsForGil) != 0) times.waiting += sample.weight_ns;
    if ((sample.state & stack::kInGc) != 0) times.in_gc += sample.weight_ns;
    if (sample.ticks != 0) continue;
    times.not_sampled += sample.weight_ns;
    if (on_cpu) times.not_sampled_on_cpu += sample.weight_ns;
  }
  return times;
}

double part_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string states_line(const profile::Profile& all, const Times& times) {
  const auto share = [&](std::uint64_t part) { return format::human_share(part_of(part, all.total_weight_ns())); };
  const std::size_t threads = count_threads(all);
  std::string text = fmt::format("{} of {}: {} on a CPU, {} ready for one, {} with the GIL, {} waiting for it",
                                 format::human_time(all.total_weight_ns()),
                                 threads == 1 ? "1 thread" : fmt::format("{} threads", threads), share(times.on_cpu),
                                 share(times.ready), share(times.with_gil), share(times.waiting));
  if (times.in_gc > 0) text += fmt::format(", {} collecting garbage", share(times.in_gc));
  return text;
}

// A machine with too few CPUs for what runs on it.
std::string queue_warning(const Times& times) {
  const double queueing = part_of(times.ready, times.on_cpu + times.ready);
  if (queueing <= kMuchQueueing) return "";
  return fmt::format(
      "  warning: threads that could run waited for a CPU in {} of that time, because others had it: see --mode "
      "ready\n",
      format::human_share(queueing));
}

// What missed ticks do to the error of what is shown.
std::string not_sampled_line(const profile::Profile& all, const Times& times) {
  if (times.not_sampled == 0) return "";
  return fmt::format("  not sampled: {} ({}), of which {} on a CPU: shares of CPU time may be off by up to {}\n",
                     format::human_time(times.not_sampled),
                     format::human_share(part_of(times.not_sampled, all.total_weight_ns())),
                     format::human_time(times.not_sampled_on_cpu),
                     format::human_share(part_of(times.not_sampled_on_cpu, times.on_cpu)));
}

std::string times_line(const profile::Quality& quality) {
  return fmt::format("a sample took {} (median), the slowest {}", format::human_time(quality.median_sample_ns),
                     format::human_time(quality.slowest_sample_ns));
}

std::string ticks_line(const profile::Recording& recording) {
  const std::string rate =
      recording.rate_hz > 0 ? fmt::format("at {:.6g} Hz", recording.rate_hz) : "as fast as possible";
  return fmt::format("{} {} {}, {} missed", with_commas(recording.quality.ticks),
                     recording.quality.ticks == 1 ? "tick" : "ticks", rate,
                     with_commas(recording.quality.missed_ticks));
}

std::string mode_line(const profile::Profile& all, const profile::Profile& shown) {
  const profile::Mode mode = shown.recording.mode;
  if (mode == profile::Mode::wall) return "mode wall: all samples of all threads";
  const double share = all.total_weight_ns() == 0
                           ? 0
                           : static_cast<double>(shown.total_weight_ns()) / static_cast<double>(all.total_weight_ns());
  std::string text = fmt::format("mode {}: {} of the threads' wall time", name(mode), format::human_share(share));
  if (shown.total_weight_ns() > 0 || all.total_weight_ns() == 0) return text;
  if (mode == profile::Mode::ready) return text + "; none of them waited for a CPU";
  text += "; they waited all the time: see it with --mode wall";
  return text;
}

}  // namespace

std::string summary_text(const profile::Profile& all, const profile::Profile& shown, const std::string& written_to) {
  const profile::Recording& recording = all.recording;
  std::string text =
      fmt::format("flametap: {} after {}\n", format::clean(recording.ended), format::human_time(recording.duration_ns));
  text += "  " + ticks_line(recording) + "\n";
  text += "  " + samples_line(recording.quality) + "\n";
  if (recording.native) text += "  " + native_line(recording.quality) + "\n";
  if (recording.quality.slowest_sample_ns > 0) text += "  " + times_line(recording.quality) + "\n";
  if (all.total_weight_ns() > 0) {
    const Times times = times_of(all);
    text += not_sampled_line(all, times);
    text += "  " + states_line(all, times) + "\n";
    text += queue_warning(times);
  }
  text += "  " + mode_line(all, shown) + "\n";
  if (const std::string hot = hottest_lines(shown, kHottest); !hot.empty()) text += "  self time:\n" + hot;
  if (written_to != "-") text += "  written to " + written_to + "\n";
  return text;
}

}  // namespace flametap::cli

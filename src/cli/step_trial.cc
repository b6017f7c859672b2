#include "cli/step_trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "base/fd.h"
#include "cpython/code_cache.h"
#include "cpython/stack_reader.h"
#include "sampler/cpu_seat.h"
#include "target/interrupter.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "target/thread_stat.h"

namespace flametap::cli {
namespace {

using cpython::Reading;

constexpr std::size_t kMaxThreads = 8;
constexpr int kLearnAttempts = 5;
constexpr int kInterruptAttempts = 50;
// Where many want its CPU, it takes a while until a thread has its turn, in which alone it can be interrupted or stops.
constexpr Nanoseconds kTurnPatience = 10 * kSecond;
constexpr Nanoseconds kUntilNextTurn = 1'000'000;

double microseconds_since(Nanoseconds start) { return static_cast<double>(monotonic_now() - start) / 1e3; }

std::string words_for(Reading reading) {
  switch (reading) {
    case Reading::verified:
      return "verified";
    case Reading::no_frames:
      return "verified: it runs no Python now";
    case Reading::moved:
      return "it moved meanwhile";
    case Reading::unknown:
      return "it went where we did not look";
    case Reading::unmapped:
      return "part of its memory went away";
    case Reading::gone:
      return "it is gone";
    case Reading::denied:
      return "denied";
    case Reading::elsewhere:
      return "it does not run there any more";
  }
  return "";
}

std::string words_for(target::PauseStatus status) {
  switch (status) {
    case target::PauseStatus::stopped:
      return "works";
    case target::PauseStatus::gone:
      return "it is gone";
    case target::PauseStatus::replaced:
      return "it began another program";
    case target::PauseStatus::traced_by_other:
      return "no: a debugger or strace holds it";
    case target::PauseStatus::denied:
      return "not permitted";
    case target::PauseStatus::timed_out:
      return "it did not stop in time";
  }
  return "";
}

constexpr const char* kNoId = "not tried: its kernel id is not known";

// Reads once, in one of the reader's ways.
template <typename Way>
std::string read_by(const cpython::StackReader& reader, const Way& way) {
  const Nanoseconds start = monotonic_now();
  const Reading reading = way();
  const double time = microseconds_since(start);
  const std::size_t frames = reader.frames().size();
  const std::string depth =
      reading == Reading::verified ? fmt::format(", {} frame{}", frames, frames == 1 ? "" : "s") : "";
  return fmt::format("{}{} in {:.1f} µs", words_for(reading), depth, time);
}

std::string read_once(cpython::StackReader& reader) {
  return read_by(reader, [&] { return reader.read(); });
}
std::string read_freely(cpython::StackReader& reader) {
  return read_by(reader, [&] { return reader.read_running(); });
}

// A first guess; the trials are about reading, not about learning.
void learn(cpython::StackReader& reader) {
  for (int i = 0; i < kLearnAttempts; ++i) {
    const Reading reading = reader.read();
    if (reading == Reading::verified || reading == Reading::no_frames) return;
    reader.learn();
  }
}

// Of a thread that does not run; nothing: it does.
std::optional<std::string> not_needed(const std::optional<target::TaskStat>& stat) {
  if (!stat) return "it is gone";
  switch (stat->state) {
    case target::TaskState::running:
      return std::nullopt;
    case target::TaskState::stopped:
    case target::TaskState::traced:
      return "not needed: it is stopped";
    default:
      return "not needed: it sleeps";
  }
}

using Interrupts = Result<std::unique_ptr<target::Interrupter>>;

Reading read_interrupted(cpython::StackReader& reader, target::Interrupter& interrupter, int cpu, pid_t tid) {
  const std::optional<target::Trail>& trail = reader.trail();
  target::InterruptedMemory memory(interrupter, cpu, tid, trail ? &*trail : nullptr);
  const Reading reading = reader.read_instant(memory, trail ? &interrupter.followed() : nullptr);
  return reading == Reading::unknown ? reader.complete() : reading;
}

std::string try_interrupting(cpython::StackReader& reader, const target::ThreadStat& stat, const Interrupts& interrupts,
                             pid_t tid) {
  if (!interrupts) return "no: " + interrupts.error().message;
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) return seat.error().message;
  std::string words;
  Reading reading = Reading::elsewhere;
  const Nanoseconds end = monotonic_now() + kTurnPatience;
  for (int attempts = 0; attempts < kInterruptAttempts && monotonic_now() < end && !is_verified(reading);) {
    if (!words.empty()) sleep_for(kUntilNextTurn);
    const auto now = stat.read();
    if (const auto reason = not_needed(now)) return *reason;
    if (!seat->keep_off(now->processor)) return "no: there is no other CPU for us";
    words = read_by(reader, [&] { return reading = read_interrupted(reader, **interrupts, now->processor, tid); });
    if (reading == Reading::unknown || reading == Reading::unmapped) reader.learn();
    if (reading != Reading::elsewhere) ++attempts;
  }
  return reading == Reading::elsewhere ? "it had no turn on its CPU while we looked" : words;
}

std::string try_riding(cpython::StackReader& reader, const target::TaskStat& stat) {
  if (const auto reason = not_needed(stat)) return *reason;
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) return seat.error().message;
  const Nanoseconds start = monotonic_now();
  if (!seat->ride(stat.processor)) return fmt::format("no: CPU {} is closed to us", stat.processor);
  const double move = microseconds_since(start);
  const std::string reading = read_once(reader);
  return fmt::format("{}, after a move to CPU {} in {:.1f} µs", reading, stat.processor, move);
}

std::string try_pausing(cpython::StackReader& reader, const target::TaskStat& stat, target::Pauser& pauser, pid_t tid) {
  if (const auto reason = not_needed(stat)) return *reason;
  const Nanoseconds start = monotonic_now();
  std::string reading;
  {
    const target::Pause pause = pauser.stop(tid, kTurnPatience);
    if (!pause) return words_for(pause.status());
    reading = read_once(reader);
  }
  return fmt::format("{}, {:.1f} µs with stopping and letting go", reading, microseconds_since(start));
}

ThreadTrial try_thread(const target::Process& process, cpython::StackReader& reader, const Interrupts& interrupts,
                       pid_t tid) {
  ThreadTrial trial{tid, "", "", kNoId, kNoId, kNoId};
  learn(reader);
  trial.free_reading = read_freely(reader);
  const auto stat = target::ThreadStat::open(process.pid(), tid);
  const auto now = stat ? stat->read() : std::nullopt;
  if (tid == 0) return trial;
  if (!now) {
    trial.interrupt = trial.ride_along = trial.pause = *not_needed(now);
    return trial;
  }
  trial.name = process.thread_name(tid);
  // It may be asleep by now, or elsewhere.
  const auto latest = [&] { return stat->read().value_or(*now); };
  trial.interrupt = try_interrupting(reader, *stat, interrupts, tid);
  trial.ride_along = try_riding(reader, latest());
  target::Pauser pauser(process.pid());
  trial.pause = try_pausing(reader, latest(), pauser, tid);
  return trial;
}

struct KnownThread {
  target::Address state;
  pid_t tid;
  std::uint64_t number;
};

// By an ordinary sample; a process that ended meanwhile has none.
std::vector<KnownThread> known_threads(sampler::ProcessSampler& sampler) {
  std::vector<KnownThread> threads;
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) return threads;
  static_cast<void>(sampler.sample(*seat, [&](const sampler::ThreadSample& sample) {
    if (threads.size() < kMaxThreads) threads.push_back({sample.python->state, sample.tid, sample.thread});
  }));
  return threads;
}

}  // namespace

ChildTrial try_own_child() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  const std::uint64_t word = 0x666c'616d'6574'6170;
  const pid_t pid = ::fork();
  if (pid < 0) return {};
  if (pid == 0) {
    ::close(write_end.release());
    char byte = 0;
    ::_exit(::read(read_end.get(), &byte, 1) == 0 ? 0 : 1);  // until we are done, or gone
  }
  ChildTrial trial{.tried = true};
  std::uint64_t copy = 0;
  target::ProcessMemory memory(pid);
  const Nanoseconds start = monotonic_now();
  const target::ReadStatus status = memory.read_value(target::Address{reinterpret_cast<std::uintptr_t>(&word)}, copy);
  trial.read_microseconds = microseconds_since(start);
  trial.can_read = status == target::ReadStatus::ok && copy == word;
  {
    target::Pauser pauser(pid);
    trial.can_pause = static_cast<bool>(pauser.stop(pid, kTurnPatience));
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return trial;
}

std::vector<ThreadTrial> try_threads(sampler::ProcessSampler& sampler) {
  const cpython::Layout& layout = sampler.interpreter().layout;
  target::ProcessMemory memory(sampler.process().pid());
  cpython::CodeCache codes(layout);
  std::vector<ThreadTrial> trials;
  const std::vector<KnownThread> threads = known_threads(sampler);
  std::vector<std::uint64_t> numbers;
  for (const KnownThread& thread : threads) numbers.push_back(thread.number);
  const auto names = sampler.thread_names(numbers);
  const Interrupts interrupts = target::Interrupter::load();
  for (const KnownThread& thread : threads) {
    cpython::StackReader reader(memory, layout, codes, thread.state, {});
    trials.push_back(try_thread(sampler.process(), reader, interrupts, thread.tid));
    if (const auto given = names.find(thread.number); given != names.end()) trials.back().name = given->second;
  }
  return trials;
}

}  // namespace flametap::cli

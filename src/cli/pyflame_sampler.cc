#include "cli/pyflame_sampler.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "sampler/pace.h"
#include "sampler/schedule.h"

namespace flametap::cli {
namespace {

using sampler::Fate;
using sampler::ProcessSampler;
using sampler::ThreadSample;
using stack::Outcome;
using Lines = std::vector<PyflameLog::LineId>;

// The list of threads is read again each time: a holder that is new is there the next time.
constexpr int kReadings = 3;

Lines or_idle(Lines lines) {
  std::erase(lines, PyflameLog::kIdle);
  if (lines.empty()) lines.push_back(PyflameLog::kIdle);
  return lines;
}

}  // namespace

std::optional<Lines> lines_of_gil_holders(std::span<const PyflameThread> tick) {
  std::map<target::Address, target::Address> holders;  // by GIL; of the first thread that was read
  for (const PyflameThread& thread : tick) {
    if (thread.gil_holder) holders.emplace(thread.gil, *thread.gil_holder);
  }
  Lines lines;
  for (const auto& [gil, holder] : holders) {
    if (holder == target::kNull) continue;
    const auto found = std::ranges::find(tick, holder, &PyflameThread::state);
    if (found == tick.end()) return std::nullopt;
    lines.push_back(found->line);
  }
  return or_idle(std::move(lines));
}

Lines lines_of_all(std::span<const PyflameThread> tick) {
  Lines lines;
  for (const PyflameThread& thread : tick) lines.push_back(thread.line);
  return or_idle(std::move(lines));
}

PyflameSampler::PyflameSampler(Options options, sampler::CpuSeat seat, PyflameLog& log)
    : options_(options),
      seat_(std::move(seat)),
      log_(log),
      start_(monotonic_now()),
      start_unix_us_(unix_now() / 1000) {}

void PyflameSampler::run(std::unique_ptr<ProcessSampler> process, const Successor& successor,
                         const std::atomic<bool>& stop) {
  sampler::prepare_to_sample();
  follow(std::move(process));
  const Nanoseconds begin = monotonic_now();
  const Nanoseconds end = options_.seconds < 0
                              ? ~Nanoseconds{0}
                              : begin + static_cast<Nanoseconds>(options_.seconds * static_cast<double>(kSecond));
  const double rate_hz = static_cast<double>(kSecond) / static_cast<double>(options_.interval);
  sampler::Schedule schedule(rate_hz, begin, begin);
  while (process_) {
    const Nanoseconds until = std::min(schedule.next(monotonic_now()).deadline, end);
    process_->try_free_readings(seat_, until);
    wait_until(until, stop);
    // However short the time, there is one sample.
    const bool over = stop || monotonic_now() >= end;
    if (over && !log_.empty()) break;
    if (sample() != Fate::runs) {
      follow(successor());
      schedule = sampler::Schedule(rate_hz, monotonic_now(), begin);  // no tick was due while it was looked for
    }
    if (over) break;
  }
  process_ = nullptr;  // whoever it asked to stop too late is let go
}

void PyflameSampler::follow(std::unique_ptr<ProcessSampler> process) {
  process_ = std::move(process);
  stacks_ = {};
  lines_.clear();
}

// At a low rate, the end of the process is not to be noticed at the next tick only.
void PyflameSampler::wait_until(Nanoseconds deadline, const std::atomic<bool>& stop) {
  while (!stop && monotonic_now() < deadline) {
    process_->let_go_pending();
    if (deadline >= monotonic_now() + sampler::kLongestSleep && !process_->process().alive()) return;
    sampler::sleep_towards(deadline);
  }
}

Fate PyflameSampler::sample() {
  const std::uint64_t time = unix_us();
  for (int i = 0; i < kReadings; ++i) {
    const Fate fate = read_threads();
    // Of a process on its way out only a part may be there, which is neither idle nor a failure.
    if (fate != Fate::runs) return fate;
    std::optional<Lines> lines = options_.threads ? lines_of_all(tick_) : lines_of_gil_holders(tick_);
    if (!lines) continue;
    // While nobody holds the GIL, C code may well be at work.
    if (process_->is_native()) std::ranges::replace(*lines, PyflameLog::kIdle, main_line_);
    for (const PyflameLog::LineId line : *lines) log_.add(line, time);
    return Fate::runs;
  }
  log_.add(PyflameLog::kFailed, time);
  return Fate::runs;
}

Fate PyflameSampler::read_threads() {
  tick_.clear();
  main_line_ = PyflameLog::kIdle;
  return process_->sample(seat_, [&](const ThreadSample& sample) {
    const PyflameLog::LineId line = line_of(sample);
    if (sample.tid == process_->process().pid()) main_line_ = line;
    if (sample.python == nullptr) return;
    const auto& interpreter = process_->threads().interpreters[sample.python->interpreter];
    tick_.push_back({sample.python->state, interpreter.gil, sample.gil_holder, line});
  });
}

PyflameLog::LineId PyflameSampler::line_of(const ThreadSample& sample) {
  const Outcome outcome = sample.sampled.outcome;
  if (outcome == Outcome::no_frames) return PyflameLog::kIdle;
  if (outcome == Outcome::torn || outcome == Outcome::unreadable) return PyflameLog::kFailed;
  const auto found = stacks_.find_or_add(sample.frames, outcome == Outcome::truncated);
  if (found.is_new) lines_.push_back(log_.line_of(frames_of(sample)));
  return lines_[found.number];
}

std::vector<std::string> PyflameSampler::frames_of(const ThreadSample& sample) const {
  std::vector<std::string> frames;
  if (sample.sampled.outcome == Outcome::truncated) {
    frames.push_back(pyflame_text(kTruncatedFrame, options_.line_numbers));
  }
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame) {
    const std::vector<sampler::NamedFrame> names = process_->names_of(*frame);
    for (auto named = names.rbegin(); named != names.rend(); ++named) {
      frames.push_back(pyflame_text(*named, options_.line_numbers));
    }
  }
  return frames;
}

// Of the clock that never jumps back, from where the other one stood at the start.
std::uint64_t PyflameSampler::unix_us() const { return start_unix_us_ + (monotonic_now() - start_) / 1000; }

}  // namespace flametap::cli

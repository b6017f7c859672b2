// What a sample costs us, without a target and without a clock: samples are taken of the recorded memory of a real
// interpreter, as a recording takes them, each as the one before it.
//
//   flametap_replay FILE               prints, for each of the steps below: STEP SAMPLES READINGS STRETCHES BYTES
//                                      ALLOCATIONS, totals of the measured samples
//   flametap_replay --record PID FILE  records the main thread of a process
//   flametap_replay --build            prints what it was compiled with
//
// bench/instructions runs it under callgrind, which counts the instructions of the function measured().
//
//   riding    ThreadSampler and ProfileBuilder, of a thread on whose CPU we are
//   free      the same, of one that is read while it runs on
//   learning  StackReader::learn alone: what it costs to meet something new, and every 4,096 samples
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/test_allocations.h"
#include "cpython/debug_offsets.h"
#include "cpython/shared_words.h"
#include "recorded_image.h"
#include "sampler/cpu_seat.h"
#include "sampler/profile_builder.h"
#include "sampler/thread_sampler.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"

// Time passes at a pace of its own, so that nothing depends on how fast we are.
extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
  static long nanoseconds = 0;
  nanoseconds += 100;
  *now = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  return 0;
}

namespace flametap::bench {
namespace {

using sampler::ThreadSampler;

enum class Step : std::uint8_t { riding, free, learning };
struct Measurement {
  Step step;
  const char* name;
  std::size_t samples;
};
constexpr Measurement kMeasurements[] = {
    {Step::riding, "riding", 160}, {Step::free, "free", 160}, {Step::learning, "learning", 8}};
constexpr std::size_t kWarmUp = 64;  // more than it takes to be read freely

constexpr pid_t kTid = 4242;
constexpr int kFarCpu = CPU_SETSIZE - 1;  // on which we are not
constexpr Nanoseconds kInterval = 1'000'000;
constexpr Nanoseconds kPauseTimeout = 1'000'000'000;

[[noreturn]] void fail(const std::string& why) {
  std::cerr << "flametap_replay: " << why << '\n';
  std::exit(1);
}

Fd file_of(const std::string& line) {
  Fd file(::memfd_create("line", MFD_CLOEXEC));
  if (!file || ::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) fail("no memfd");
  return file;
}

// What the kernel says of a thread that runs on that CPU, for ever.
sampler::KernelView running_on(int cpu) {
  const std::string line =
      "4242 (python) R 4000 4242 4000 34816 4242 4194304 5310 0 12 0 151 23 0 0 20 0 1 0 861733 "
      "31211520 4012 18446744073709551615 94263201730560 94263204530117 140726137852192 0 0 0 0 "
      "16781312 16386 0 0 0 17 " +
      std::to_string(cpu) +
      " 0 0 0 0 0 94263206129648 "
      "94263206597000 94263213821952 140726137860251 140726137860281 140726137860281 "
      "140726137860070 0\n";
  sampler::KernelView view;
  view.stat.emplace(file_of(line));
  view.schedstat.emplace(file_of("151000000 23000000 174\n"));
  return view;
}

// One thread of the process that was recorded, as ProcessSampler has it.
class Replay final : public sampler::SampledProcess {
 public:
  Replay(target::Memory& memory, const cpython::Interpreter& interpreter, sampler::KernelView kernel)
      : interpreter_(interpreter), codes_(interpreter_.layout) {
    list_ = cpython::read_threads(memory, interpreter_.layout, interpreter_.runtime);
    if (list_.threads.size() != 1) fail("not one thread, but " + std::to_string(list_.threads.size()));
    shared_.follow(interpreter_, list_);
    auto reader = std::make_unique<cpython::StackReader>(memory, interpreter_.layout, codes_,
                                                         list_.threads.front().state, cpython::StackReader::Options{});
    sampler_ = std::make_unique<ThreadSampler>(std::move(reader), std::move(kernel), kTid);
    sampler_->warm_up();
    sampler_->reader().read_along(shared_.segments());
    number_ = builder_.add_process(*this);
  }

  void sample(sampler::CpuSeat& seat, stack::Step step) {
    const sampler::FindVisit find_visit;
    const ThreadSampler::Tools tools{seat, nullptr, nullptr, nullptr, find_visit, false};
    const sampler::Sampled sampled = sampler_->sample(tools);
    if (sampled.outcome != stack::Outcome::complete || sampled.step != step) ++failures_;
    now_ += kInterval;
    builder_.count_tick(0);
    builder_.add(number_, *this,
                 {.thread = 0,
                  .python = &list_.threads.front(),
                  .tid = kTid,
                  .sampled = sampled,
                  .state = stack::kOnCpu | stack::kHoldsGil,
                  .frames = sampler_->frames(),
                  .gil_holder = shared_.gil_holder(list_.threads.front()),
                  .duration = 100},
                 {.time = now_, .weight = kInterval, .own_weight = kInterval});
    sampler_->try_free_readings(tools, ~Nanoseconds{0});
  }
  void learn() { sampler_->reader().learn(); }

  [[nodiscard]] std::size_t failures() const { return failures_; }
  void forget_failures() { failures_ = 0; }
  [[nodiscard]] std::size_t depth() const { return sampler_->frames().size(); }

  [[nodiscard]] profile::Process description() const override { return {kTid, "python", ""}; }
  [[nodiscard]] bool is_native() const override { return false; }
  [[nodiscard]] std::string thread_name(pid_t) const override { return "python"; }
  [[nodiscard]] std::vector<sampler::NamedFrame> names_of(const stack::Frame& frame) const override {
    const cpython::Code& code = codes_[cpython::CodeId{frame.number}];
    return {{profile::FrameKind::python, code.name, code.file, "", code.first_line, frame.line}};
  }

 private:
  cpython::Interpreter interpreter_;
  cpython::CodeCache codes_;
  cpython::ThreadList list_;
  cpython::SharedWords shared_;
  std::unique_ptr<ThreadSampler> sampler_;
  sampler::ProfileBuilder builder_;
  std::size_t number_ = 0;
  Nanoseconds now_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace

// By this name callgrind knows what to count. A call is one measurement.
extern "C" [[gnu::noipa]] void measured(Replay& replay, Step step, sampler::CpuSeat& seat, std::size_t samples) {
  for (std::size_t i = 0; i < samples; ++i) {
    if (step == Step::learning) {
      replay.learn();
    } else {
      replay.sample(seat, step == Step::riding ? stack::Step::ride_along : stack::Step::free_running);
    }
  }
}

namespace {

// A thread that runs on our CPU is ridden with: there is no other CPU to which we could go. One that runs on a CPU far
// away is read freely.
sampler::CpuSeat sit_on_one_cpu(int& cpu) {
  cpu = ::sched_getcpu();
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(cpu, &here);
  if (::sched_setaffinity(0, sizeof here, &here) != 0) fail("cannot stay on one CPU");
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) fail(seat.error().message);
  return std::move(*seat);
}

template <typename Measure>
void go_through_steps(target::Memory& memory, const cpython::Interpreter& interpreter, const Measure& measure) {
  int cpu = 0;
  sampler::CpuSeat seat = sit_on_one_cpu(cpu);
  for (const Measurement& measurement : kMeasurements) {
    const bool riding = measurement.step == Step::riding;
    Replay replay(memory, interpreter, running_on(riding ? cpu : kFarCpu));
    for (std::size_t i = 0; i < kWarmUp; ++i) {
      replay.sample(seat, riding ? stack::Step::ride_along : stack::Step::free_running);
    }
    replay.forget_failures();
    measure(replay, measurement, seat);
    if (replay.failures() > 0) fail(std::string(measurement.name) + ": the image does not hold what is read by now");
  }
}

int replay(const std::string& path) {
  const auto image = RecordedImage::read(path);
  if (!image) fail(image.error().message);
  RecordedMemory memory(image->pages);
  go_through_steps(memory, image->interpreter, [&](Replay& replay, const Measurement& of, sampler::CpuSeat& seat) {
    const std::size_t before = allocation_count;
    memory.start_counting();
    measured(replay, of.step, seat, of.samples);
    const RecordedMemory::Counts counts = memory.stop_counting();
    const std::size_t allocations = allocation_count - before;
    std::cout << of.name << ' ' << of.samples << ' ' << counts.readings << ' ' << counts.stretches << ' '
              << counts.bytes << ' ' << allocations << '\n';
  });
  return 0;
}

int record(pid_t pid, const std::string& path) {
  const auto process = target::Process::open(pid);
  if (!process) fail(process.error().message);
  target::ProcessMemory live(pid);
  auto interpreter = cpython::find_interpreter(*process, live);
  if (!interpreter) fail(interpreter.error().message);
  target::Pauser pauser(pid);
  const target::Pause pause = pauser.stop(pid, kPauseTimeout);
  if (!pause) fail("it does not stop");
  PageRecorder memory(live);
  std::array<std::byte, cpython::kDebugOffsetsRead> start{};
  (void)memory.read(interpreter->runtime, start);
  std::size_t depth = 0;
  go_through_steps(memory, *interpreter, [&](Replay& replay, const Measurement& of, sampler::CpuSeat& seat) {
    measured(replay, of.step, seat, of.samples);
    depth = replay.depth();
  });
  RecordedImage image{*interpreter, memory.pages()};
  hide_paths(image.pages);
  if (const auto written = image.write(path); !written) fail(written.error().message);
  std::cout << cpython::to_string(interpreter->version) << ", " << depth << " frames, " << image.pages.size()
            << " pages\n";
  return 0;
}

}  // namespace
}  // namespace flametap::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--build") {
    std::cout << FLAMETAP_BUILD << '\n';
    return 0;
  }
  if (words.size() == 3 && words[0] == "--record")
    return flametap::bench::record(std::atoi(words[1].c_str()), words[2]);
  if (words.size() == 1 && !words[0].starts_with("-")) return flametap::bench::replay(words[0]);
  std::cerr << "usage: flametap_replay FILE | --record PID FILE | --build\n";
  return 2;
}

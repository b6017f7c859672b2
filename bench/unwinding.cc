// What a C stack costs: the copy, while the thread stands still; the unwinding, while it runs on; a look at the map.
//
//   unwinding_bench PID
//
// Stops the main thread of the process once, and measures on that one stack: everything is warm, so a sample in the
// wild costs a few times as much.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "native/unwinder.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace {

using namespace flametap;
using namespace flametap::native;

struct Subject {
  explicit Subject(target::Process opened)
      : process(std::move(opened)),
        memory(process.pid()),
        space(std::move(*AddressSpace::open(process, memory, binaries))) {}

  target::Process process;
  target::ProcessMemory memory;
  BinaryCache binaries;
  AddressSpace space;
  StackCopy copy;
  Unwinder unwinder;
  std::vector<Frame> frames;
};

void measure_capture(benchmark::State& state, Subject& subject) {
  for (auto turn : state) {
    benchmark::DoNotOptimize(subject.copy.capture_stopped(subject.process.pid(), subject.memory, subject.space));
  }
  state.counters["bytes"] = static_cast<double>(subject.copy.stack().bytes.size());
}

void measure_unwind(benchmark::State& state, Subject& subject) {
  for (auto turn : state) {
    benchmark::DoNotOptimize(subject.unwinder.unwind(subject.copy, subject.space, subject.frames));
  }
  state.counters["frames"] = static_cast<double>(subject.frames.size());
}

void measure_refresh(benchmark::State& state, Subject& subject) {
  for (auto turn : state) benchmark::DoNotOptimize(subject.space.refresh());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const pid_t pid = argc == 2 ? static_cast<pid_t>(std::strtol(argv[1], nullptr, 10)) : 0;
  Result<target::Process> process = target::Process::open(pid);
  if (!process) {
    std::fprintf(stderr, "usage: unwinding_bench PID: %s\n", process.error().message.c_str());
    return 1;
  }
  Subject subject(std::move(*process));
  target::Pauser pauser(pid);
  const target::Pause pause = pauser.stop(pid, kSecond);
  if (!pause) return 1;
  // The second copy is as small as later ones are.
  for (int i = 0; i < 2; ++i) {
    (void)subject.copy.capture_stopped(pid, subject.memory, subject.space);
    (void)subject.unwinder.unwind(subject.copy, subject.space, subject.frames);
  }
  benchmark::RegisterBenchmark("capture", measure_capture, std::ref(subject));
  benchmark::RegisterBenchmark("unwind", measure_unwind, std::ref(subject));
  benchmark::RegisterBenchmark("refresh", measure_refresh, std::ref(subject));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

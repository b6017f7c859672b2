// A sampler of C stacks made of elfutils alone, to measure ours against: it stops the thread while libdwfl unwinds it.
//
//   native_dwfl PID RATE_HZ SECONDS        RATE_HZ 0: as fast as possible
//
// Modules are looked up once, so that all of elfutils' caches stay warm; names are kept per address. Prints
//   {"samples": 1, "whole": 1, "frames": 20, "duration_s": 1.0, "median_stopped_us": 1.0, "mean_stopped_us": 1.0}
// `whole` are those that came to the outermost frame. A thread is stopped from just after the call of libdwfl begins to
// just before it ends, names excepted: that is the time given.
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr std::size_t kMaxFrames = 1000;

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

int collect(Dwfl_Frame* frame, void* argument) {
  auto& pcs = *static_cast<std::vector<Dwarf_Addr>*>(argument);
  Dwarf_Addr pc = 0;
  bool is_activation = false;
  if (!dwfl_frame_pc(frame, &pc, &is_activation)) return DWARF_CB_ABORT;
  pcs.push_back(is_activation ? pc : pc - 1);
  return pcs.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

class Sampler {
 public:
  Sampler(Dwfl* dwfl, pid_t pid) : dwfl_(dwfl), pid_(pid) {}

  void sample() {
    pcs_.clear();
    const Clock::time_point begin = Clock::now();
    const int result = dwfl_getthread_frames(dwfl_, pid_, collect, &pcs_);
    stopped_us_.push_back(Microseconds(Clock::now() - begin).count());
    whole_ += result == 0 ? 1 : 0;
    frames_ += pcs_.size();
    for (const Dwarf_Addr pc : pcs_) name(pc);
  }

  void print(double seconds) {
    const auto middle = stopped_us_.begin() + static_cast<std::ptrdiff_t>(stopped_us_.size() / 2);
    std::nth_element(stopped_us_.begin(), middle, stopped_us_.end());
    const double sum = std::accumulate(stopped_us_.begin(), stopped_us_.end(), 0.0);
    std::printf(
        "{\"samples\": %zu, \"whole\": %zu, \"frames\": %zu, \"duration_s\": %.3f, \"median_stopped_us\": %.1f, "
        "\"mean_stopped_us\": %.1f}\n",
        stopped_us_.size(), whole_, frames_, seconds, *middle, sum / static_cast<double>(stopped_us_.size()));
  }

 private:
  const std::string& name(Dwarf_Addr pc) {
    const auto [place, is_new] = names_.try_emplace(pc);
    if (is_new) {
      Dwfl_Module* module = dwfl_addrmodule(dwfl_, pc);
      const char* found = module != nullptr ? dwfl_module_addrname(module, pc) : nullptr;
      if (found != nullptr) place->second = found;
    }
    return place->second;
  }

  Dwfl* dwfl_;
  pid_t pid_;
  std::vector<Dwarf_Addr> pcs_;
  std::vector<double> stopped_us_;
  std::size_t whole_ = 0;
  std::size_t frames_ = 0;
  std::unordered_map<Dwarf_Addr, std::string> names_;
};

void run(Sampler& sampler, double rate_hz, double seconds) {
  const Clock::time_point begin = Clock::now();
  const Clock::time_point end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::uint64_t tick = 0;
  do {
    sampler.sample();
    if (rate_hz <= 0) continue;
    // A tick that passed while we were late is missed, as it is with ours.
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    tick = std::max(tick + 1, static_cast<std::uint64_t>(elapsed * rate_hz));
    const std::chrono::duration<double> due(static_cast<double>(tick) / rate_hz);
    std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(due));
  } while (Clock::now() < end);
  sampler.print(std::chrono::duration<double>(Clock::now() - begin).count());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: native_dwfl PID RATE_HZ SECONDS\n");
    return 2;
  }
  const pid_t pid = std::atoi(argv[1]);
  char* no_folder = nullptr;
  Dwfl_Callbacks callbacks = {};
  callbacks.find_elf = dwfl_linux_proc_find_elf;
  callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  callbacks.debuginfo_path = &no_folder;
  const std::unique_ptr<Dwfl, DwflEnd> dwfl(dwfl_begin(&callbacks));
  if (!dwfl || dwfl_linux_proc_report(dwfl.get(), pid) != 0 || dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0 ||
      dwfl_linux_proc_attach(dwfl.get(), pid, false) != 0) {
    std::fprintf(stderr, "native_dwfl: %s\n", dwfl_errmsg(-1));
    return 1;
  }
  Sampler sampler(dwfl.get(), pid);
  run(sampler, std::atof(argv[2]), std::atof(argv[3]));
  return 0;
}

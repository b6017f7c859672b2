#include "cli/thread_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/diagnostics.h"
#include "cli/text_width.h"
#include "format/text.h"
#include "sampler/cpu_seat.h"
#include "sampler/process_sampler.h"
#include "target/thread_stat.h"

namespace flametap::cli {
namespace {

using sampler::Fate;
using sampler::ProcessSampler;
using sampler::ThreadSample;
using stack::Outcome;
using stack::Step;
using target::TaskState;

// A list of threads that changes while we read it is read again, but not for ever.
constexpr int kLooks = 5;

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete:
      return "complete";
    case Outcome::truncated:
      return "truncated";
    case Outcome::torn:
      return "torn";
    case Outcome::no_frames:
      return "no_frames";
    case Outcome::unreadable:
      return "unreadable";
  }
  return "unreadable";
}

std::string_view name_of(Step step) {
  switch (step) {
    case Step::free_running:
      return "free_running";
    case Step::interrupt:
      return "interrupt";
    case Step::ride_along:
      return "ride_along";
    case Step::pause:
      return "pause";
  }
  return "pause";
}

bool has_stack(Outcome outcome) { return outcome == Outcome::complete || outcome == Outcome::truncated; }

using HeldThreads = std::map<pid_t, TaskState>;

// The threads that do not go on before a signal or a tracer lets them. To be asked before we stop any ourselves.
HeldThreads held_threads(const target::Process& process) {
  HeldThreads held;
  const auto tids = process.threads();
  if (!tids) return held;
  for (const pid_t tid : *tids) {
    const auto file = target::ThreadStat::open(process.pid(), tid);
    const auto stat = file ? file->read() : std::nullopt;
    if (stat && (stat->state == TaskState::stopped || stat->state == TaskState::traced)) held[tid] = stat->state;
  }
  return held;
}

// A thread that is on a CPU has been let go meanwhile.
void mark_held(const HeldThreads& held, std::vector<DumpedThread>& threads) {
  for (DumpedThread& thread : threads) {
    const auto found = held.find(thread.tid);
    if (found == held.end() || thread.on_cpu) continue;
    thread.stopped = found->second == TaskState::stopped;
    thread.traced = found->second == TaskState::traced;
  }
}

DumpedThread dump_thread(const ProcessSampler& process, const ThreadSample& sample) {
  DumpedThread thread{.number = sample.thread,
                      .tid = sample.tid,
                      .name = process.process().thread_name(sample.tid),
                      .ident = {},
                      .interpreter = {},
                      .on_cpu = (sample.state & stack::kOnCpu) != 0,
                      .holds_gil = (sample.state & stack::kHoldsGil) != 0,
                      .waits_for_gil = (sample.state & stack::kWaitsForGil) != 0,
                      .in_gc = (sample.state & stack::kInGc) != 0,
                      .outcome = sample.sampled.outcome,
                      .step = sample.sampled.step,
                      .unmerged = sample.sampled.unmerged,
                      .native_truncated = sample.sampled.native_truncated,
                      .frames = {}};
  if (sample.python != nullptr) {
    thread.ident = sample.python->ident;
    thread.interpreter = process.threads().interpreters[sample.python->interpreter].id;
  }
  if (!has_stack(thread.outcome)) return thread;
  for (const stack::Frame& frame : sample.frames) {
    for (sampler::NamedFrame& named : process.names_of(frame)) thread.frames.push_back(std::move(named));
  }
  return thread;
}

// A thread that the program named goes by that name; the others keep the kernel's.
void use_given_names(ProcessSampler& process, ThreadDump& dump) {
  std::vector<std::uint64_t> numbers;
  for (const DumpedThread& thread : dump.threads) numbers.push_back(thread.number);
  const auto names = process.thread_names(numbers);
  for (DumpedThread& thread : dump.threads) {
    if (const auto given = names.find(thread.number); given != names.end()) thread.name = given->second;
  }
}

// Why a process that we attached to gave no sample.
Error explain(pid_t pid, Fate fate) {
  const std::string name = "process " + std::to_string(pid);
  switch (fate) {
    case Fate::exited:
      return {Failure::no_such_process, name + " exited meanwhile", ""};
    case Fate::replaced:
      return {Failure::not_python, name + " began to execute another program meanwhile", "try again"};
    case Fate::closed:
      return {Failure::not_permitted, name + " closed its memory to us meanwhile", ""};
    case Fate::runs:
      break;
  }
  return {Failure::failed, name + " has no Python thread yet, or none any more", "try again"};
}

std::string title_of(const DumpedThread& thread) {
  std::string title =
      thread.tid != 0 ? fmt::format("Thread {}", thread.tid) : fmt::format("Thread {:#x}", thread.ident.value_or(0));
  if (!thread.name.empty()) title += " \"" + format::without_middle(format::clean(thread.name)) + "\"";
  return title;
}

std::string state_of(const DumpedThread& thread, bool say_interpreter) {
  std::string state = thread.traced ? "traced" : thread.stopped ? "stopped" : thread.on_cpu ? "on cpu" : "";
  if (thread.waits_for_gil) state += state.empty() ? "waits for the GIL" : ", waits for the GIL";
  if (state.empty()) state = "idle";
  if (thread.holds_gil) state += ", holds the GIL";
  if (thread.in_gc) state += ", collects garbage";
  if (!thread.ident) state += ", no Python";
  if (say_interpreter && thread.interpreter) state += fmt::format(", interpreter {}", *thread.interpreter);
  return state;
}

// Where it is, for people: a native function without a known source is in a library, whose folder tells little.
std::string place_of(const sampler::NamedFrame& frame) {
  switch (frame.kind) {
    case profile::FrameKind::kernel:
      return "system call";
    case profile::FrameKind::native:
    case profile::FrameKind::inlined:
      if (frame.file == frame.module) return format::without_middle(format::clean(format::base_name(frame.module)));
      break;
    case profile::FrameKind::python:
    case profile::FrameKind::marker:
      break;
  }
  const std::string line = frame.line > 0 ? fmt::format(":{}", frame.line) : "";
  const std::string inlined = frame.kind == profile::FrameKind::inlined ? ", inlined" : "";
  return format::without_middle(format::clean(frame.file)) + line + inlined;
}

std::string_view colour_of(profile::FrameKind kind) {
  switch (kind) {
    case profile::FrameKind::native:
    case profile::FrameKind::inlined:
      return "36";
    case profile::FrameKind::kernel:
      return "33";
    case profile::FrameKind::python:
    case profile::FrameKind::marker:
      break;
  }
  return "32";
}

}  // namespace

Result<ThreadDump> take_dump(pid_t pid, const std::optional<sampler::NativeOptions>& native) {
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) return seat.error();
  const auto process = ProcessSampler::attach(pid, {.native = native});
  if (!process) return cannot("dump", pid, process.error());
  ProcessSampler& sampler = **process;
  ThreadDump dump{
      pid, sampler.process().command(), cpython::to_string(sampler.interpreter().version), native.has_value(), {}};
  const HeldThreads held = held_threads(sampler.process());
  Fate fate = Fate::runs;
  for (int i = 0; i < kLooks && dump.threads.empty() && fate == Fate::runs; ++i) {
    fate = sampler.sample(*seat,
                          [&](const ThreadSample& sample) { dump.threads.push_back(dump_thread(sampler, sample)); });
  }
  if (dump.threads.empty() || fate != Fate::runs) return explain(pid, fate);
  mark_held(held, dump.threads);
  use_given_names(sampler, dump);
  return dump;
}

void put_main_thread_first(ThreadDump& dump) {
  const auto is_main = [&](const DumpedThread& thread) { return thread.tid == dump.pid; };
  std::stable_partition(dump.threads.begin(), dump.threads.end(), is_main);
}

std::string to_json(const ThreadDump& dump) {
  using Json = nlohmann::ordered_json;
  Json threads = Json::array();
  for (const DumpedThread& thread : dump.threads) {
    Json frames = Json::array();
    for (const sampler::NamedFrame& frame : thread.frames) {
      Json object{{"name", frame.name}, {"file", frame.file}, {"line", frame.line}};
      if (dump.native) object["kind"] = profile::name(frame.kind);
      if (!frame.module.empty()) object["module"] = frame.module;
      frames.push_back(std::move(object));
    }
    threads.push_back({{"id", thread.tid == 0 ? Json(nullptr) : Json(thread.tid)},
                       {"name", thread.name},
                       {"ident", thread.ident ? Json(*thread.ident) : Json(nullptr)},
                       {"interpreter", thread.interpreter ? Json(*thread.interpreter) : Json(nullptr)},
                       {"on_cpu", thread.on_cpu},
                       {"holds_gil", thread.holds_gil},
                       {"waits_for_gil", thread.waits_for_gil},
                       {"in_gc", thread.in_gc},
                       {"stopped", thread.stopped},
                       {"traced", thread.traced},
                       {"outcome", name_of(thread.outcome)},
                       {"step", name_of(thread.step)},
                       {"frames", std::move(frames)}});
    if (dump.native) {
      threads.back()["unmerged"] = thread.unmerged;
      threads.back()["native_truncated"] = thread.native_truncated;
    }
  }
  const Json whole{
      {"pid", dump.pid}, {"command", dump.command}, {"python", dump.python}, {"threads", std::move(threads)}};
  // What is not UTF-8 in a name becomes U+FFFD instead of an exception.
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const ThreadDump& dump, bool colour, Columns columns) {
  const auto painted = [&](std::string_view code, const std::string& text) {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  };
  const std::string process = fmt::format("Process {}: {}", dump.pid, format::clean(dump.command));
  std::string text = fmt::format("{}\nPython {}\n", wrapped(process, columns, 0, 4), dump.python);
  // Where there is but one interpreter, its number tells nothing.
  const bool say_interpreter =
      std::ranges::any_of(dump.threads, [](const DumpedThread& thread) { return thread.interpreter.value_or(0) != 0; });
  for (const DumpedThread& thread : dump.threads) {
    text += fmt::format("\n{} ({})\n", painted("1", title_of(thread)), state_of(thread, say_interpreter));
    if (thread.outcome == Outcome::no_frames) text += "    (no Python frames)\n";
    if (!has_stack(thread.outcome) && thread.outcome != Outcome::no_frames)
      text += fmt::format("    ({})\n", name_of(thread.outcome));
    if (thread.unmerged) text += "    (its C stack could not be had, or does not fit: Python only)\n";
    for (const sampler::NamedFrame& frame : thread.frames) {
      const std::string whole_name = format::without_middle(format::clean(frame.name));
      const std::string whole_place = place_of(frame);
      constexpr std::size_t kBeside = 7;  // four blanks in front, one between, and the parentheses
      const NameWidths fitting = fit_names(columns, kBeside, {width(whole_name), width(whole_place)});
      const std::string name = painted(colour_of(frame.kind), format::without_middle(whole_name, fitting.name));
      const std::string place = format::without_middle(whole_place, fitting.place);
      text += place.empty() ? fmt::format("    {}\n", name) : fmt::format("    {} ({})\n", name, painted("2", place));
    }
    // What is missing is outside the last frame.
    if (thread.outcome == Outcome::truncated) text += "    (truncated)\n";
    if (thread.native_truncated) text += "    (its C stack goes on further out than could be followed)\n";
  }
  return text;
}

}  // namespace flametap::cli

#include "sampler/process_sampler.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "native/syscall_name.h"
#include "target/rights.h"

namespace flametap::sampler {
namespace {

using cpython::PythonThread;
using stack::Outcome;

constexpr int kVisitReadings = 3;
constexpr int kRehearsals = 20;

}  // namespace

Result<std::unique_ptr<ProcessSampler>> ProcessSampler::attach(pid_t pid, Options options) {
  auto process = target::Process::open(pid);
  if (!process) return process.error();
  std::unique_ptr<ProcessSampler> sampler(new ProcessSampler(std::move(*process), options));
  // Taken before looking for the interpreter: an exec in between is then noticed.
  auto program = program_of(sampler->process_);
  if (!program)
    return program.error().kind == Failure::not_permitted ? target::explain_denied(sampler->process_) : program.error();
  sampler->program_ = std::move(*program);
  if (options.programs != nullptr) {
    if (auto known = options.programs->find(sampler->program_)) {
      sampler->interpreter_ = std::move(*known);
      return sampler;
    }
  }
  auto interpreter = cpython::find_interpreter(sampler->process_, sampler->memory_);
  if (!interpreter) return interpreter.error();
  // In the middle of an exec, what the kernel tells a program is not there yet.
  const auto program_now = program_of(sampler->process_);
  if (!program_now) return program_now.error();
  if (*program_now != sampler->program_) {
    return Error{Failure::no_such_process, "it began to execute another program meanwhile", "try again"};
  }
  sampler->interpreter_ = std::move(*interpreter);
  if (options.programs != nullptr) sampler->remember_in(*options.programs);
  return sampler;
}

ProcessSampler::ProcessSampler(target::Process process, Options options)
    : process_(std::move(process)),
      options_(options),
      memory_(process_.pid()),
      pauser_(process_.pid()),
      codes_(interpreter_.layout) {}

void ProcessSampler::get_ready() {
  if (options_.native && !native_) {
    auto native = NativeProcess::open(process_, memory_, interpreter_, options_.lines, *options_.native);
    if (native) native_ = std::move(*native);  // else it is about to end, as fate() will find out
  }
  if (list_is_old_) follow_threads();
}

void ProcessSampler::rehearse(CpuSeat& seat) {
  if (!options_.native) return;
  for (int i = 0; i < kRehearsals; ++i) {
    const Fate fate = sample(seat, [&](const ThreadSample& taken) {
      for (const stack::Frame& frame : taken.frames) (void)names_of(frame);
    });
    if (fate != Fate::runs) return;  // the recording will find out, too
  }
}

Fate ProcessSampler::sample(CpuSeat& seat, const Sink& sink, Ask ask) {
  let_go_pending();
  if (ticks_until_ids_ > 0 && --ticks_until_ids_ == 0) list_is_old_ = true;
  if (native_ && list_has_changed()) list_is_old_ = true;
  get_ready();
  if (may_run_another_program()) {
    if (const Fate found = fate(); found != Fate::runs) return found;
  }
  const FindVisit find_visit_of = [this](std::uint64_t ident, target::Address known) {
    return find_visit(ident, known);
  };
  const ThreadSampler::Tools tools{
      seat,          options_.interrupter.get(), options_.pause ? &pauser_ : nullptr, native_.get(),
      find_visit_of, ask == Ask::turns};
  if (native_) native_->keep_up();
  ++tick_;
  const bool was_old = list_is_old_;
  bool in_trouble = sample_threads(tools, sink);
  // Threads that have come since the last tick: to leave them for the next one would show all short ones for too short.
  if (list_is_old_ && !was_old && (!in_trouble || fate() == Fate::runs)) {
    follow_threads();
    if (may_run_another_program()) {
      if (const Fate found = fate(); found != Fate::runs) return found;
    }
    in_trouble = sample_threads(tools, sink) || in_trouble;
  }
  if (native_) sample_native_threads({*native_, tools.pauser, tools.find_visit}, sink);
  return in_trouble ? fate() : Fate::runs;
}

// A program that is always at the same addresses has its first thread where the program before had its own.
bool ProcessSampler::may_run_another_program() { return std::exchange(none_was_known_, false); }

// Those that were not sampled at this tick. True: something is wrong with the process, or with one of them.
bool ProcessSampler::sample_threads(const ThreadSampler::Tools& tools, const Sink& sink) {
  bool in_trouble = threads_.empty();
  bool looked_at_list = false;
  for (Thread& thread : threads_) {
    if (std::exchange(thread.tick, tick_) == tick_) continue;
    const Nanoseconds start = monotonic_now();
    Sampled sampled = thread.sampler->sample(tools);
    const Nanoseconds duration = monotonic_now() - start;
    sampled.dormant = thread.sampler->has_companions() && !is_at_work(thread);
    if (const auto& moved_to = thread.sampler->moved_to()) {
      thread.python = *moved_to;
      list_is_old_ = true;
    }
    if (sampled.gone || !same_thread(thread)) {
      list_is_old_ = true;
      in_trouble = in_trouble || sampled.gone;
      continue;
    }
    in_trouble = in_trouble || sampled.outcome == Outcome::unreadable;
    if (sampled.running()) last_cpu_ = thread.sampler->last_cpu();
    if (!sampled.unchanged) {
      list_is_old_ = list_is_old_ || shared_.list_changed() || next_of(thread) != thread.python.next;
      thread.state = state_of(thread, sampled);
      looked_at_list = true;
    }
    sink({thread.number, &thread.python, thread.sampler->tid(), sampled, thread.state, thread.sampler->frames(),
          gil_holder_of(thread, sampled), duration});
  }
  // All of them sleep; but a thread of the program's own may become a Python thread at any time.
  if (!looked_at_list && memory_.read(shared_.segments()).status == target::ReadStatus::ok) {
    list_is_old_ = list_is_old_ || shared_.list_changed();
  }
  return in_trouble;
}

void ProcessSampler::try_free_readings(CpuSeat& seat, Nanoseconds until) {
  if (native_) return;  // then every thread is read standing still
  const FindVisit nobody_visits;
  const ThreadSampler::Tools tools{seat, options_.interrupter.get(), nullptr, nullptr, nobody_visits, false};
  for (const Thread& thread : threads_) thread.sampler->try_free_readings(tools, until);
}

// Of a thread that was not read, only what is its own is known.
std::optional<target::Address> ProcessSampler::gil_holder_of(const Thread& thread, const Sampled& sampled) const {
  if (!sampled.unchanged) return shared_.gil_holder(thread.python);
  if ((thread.state & stack::kHoldsGil) != 0) return thread.python.state;
  return std::nullopt;
}

stack::State ProcessSampler::state_of(const Thread& thread, const Sampled& sampled) const {
  stack::State state = 0;
  if (shared_.holds_gil(thread.python)) state |= stack::kHoldsGil;
  if (shared_.in_gc(thread.python)) state |= stack::kInGc;
  if (sampled.running() && is_at_work(thread)) state |= stack::on_cpu(sampled.activity == Activity::ready);
  if (shared_.holds_gil(thread.python) && !sampled.running()) state |= stack::kAsleepWithGil;
  if (state == 0 && !sampled.running() && shared_.is_gil_wait(thread.python, sampled.sleeps_on)) {
    state |= stack::kWaitsForGil;
  }
  return state;
}

bool ProcessSampler::is_at_work(const Thread& thread) const {
  return shared_.holds_gil(thread.python) || is_foremost(thread);
}

// A thread of the system that runs code in several interpreters has a Python thread in each of them. Only one of these
// runs: the one with the GIL, or else the newest. This is for threads that do not hold it.
bool ProcessSampler::is_foremost(const Thread& thread) const {
  const pid_t tid = thread.sampler->tid();
  if (tid == 0) return true;
  const auto shares_it = [&](const Thread& other) { return other.sampler->tid() == tid; };
  const auto has_gil = [&](const Thread& other) { return shares_it(other) && shared_.holds_gil(other.python); };
  const auto runs_python = [&](const Thread& other) {
    return shares_it(other) && !other.sampler->reader().frames().empty();
  };
  // The newest stand first in the list. An interpreter that was made, but runs nothing, has a thread, too.
  auto newest = std::ranges::find_if(threads_, runs_python);
  if (newest == threads_.end()) newest = std::ranges::find_if(threads_, shares_it);
  return &*newest == &thread && std::ranges::none_of(threads_, has_gil);
}

bool ProcessSampler::is_python_thread(pid_t tid) const {
  return std::ranges::any_of(threads_, [&](const Thread& thread) { return thread.sampler->tid() == tid; });
}

void ProcessSampler::sample_native_threads(const NativeThreadSampler::Tools& tools, const Sink& sink) {
  if (monotonic_now() >= next_native_list_) follow_native_threads();
  bool some_ended = false;
  for (NativeThread& thread : native_threads_) {
    const Nanoseconds start = monotonic_now();
    const Sampled sampled = thread.sampler->sample(tools);
    some_ended = some_ended || sampled.gone;
    list_is_old_ = list_is_old_ || sampled.unmerged;
    if (sampled.gone) continue;
    const auto& visit = thread.sampler->visit();
    list_is_old_ = list_is_old_ || visit.has_value();
    const stack::State on_cpu = sampled.running() ? stack::kOnCpu : stack::State{0};
    sink({thread.number, visit ? &visit->python : nullptr, thread.sampler->tid(), sampled,
          static_cast<stack::State>(visit ? on_cpu | state_of(*visit, sampled) : on_cpu), thread.sampler->frames(),
          std::nullopt, monotonic_now() - start});
  }
  if (some_ended) next_native_list_ = 0;
}

stack::State ProcessSampler::state_of(const Visit& visit, const Sampled& sampled) {
  const bool sleeps_with_gil = visit.state == stack::kHoldsGil && !sampled.running();
  return sleeps_with_gil ? stack::State{stack::kHoldsGil | stack::kAsleepWithGil} : visit.state;
}

// Asked while the thread is stopped, so that what is read of Python is of the instant of its C stack.
std::optional<Visit> ProcessSampler::find_visit(std::uint64_t ident, target::Address known) {
  // Of a Python thread the shared words have just been read, along with its own.
  if (ident == 0 || !(known == target::kNull ? list_has_changed() : shared_.list_changed())) return std::nullopt;
  const auto found = cpython::find_new_thread(memory_, interpreter_.layout, list_, ident);
  if (!found || found->state == known) return std::nullopt;
  // In each interpreter a thread has a state of its own.
  const auto before = std::ranges::find(list_.threads, known, &PythonThread::state);
  if (before != list_.threads.end() && before->interpreter != found->interpreter) return std::nullopt;
  Visit visit{*found, make_reader(*found), 0};
  cpython::Reading reading = cpython::Reading::unknown;
  for (int i = 0; i < kVisitReadings && reading == cpython::Reading::unknown; ++i) {
    visit.reader->learn();
    reading = visit.reader->read();
  }
  if (!is_verified(reading)) return std::nullopt;
  if (shared_.holds_gil(visit.python)) visit.state = stack::kHoldsGil;
  return visit;
}

profile::Process ProcessSampler::description() const {
  return {process_.pid(), process_.command(), cpython::to_string(interpreter_.version)};
}

std::vector<NamedFrame> ProcessSampler::names_of(const stack::Frame& frame) const {
  switch (frame.kind) {
    case stack::FrameKind::python:
      break;
    case stack::FrameKind::native:
      return native_->codes()[frame.number].frames;
    case stack::FrameKind::unknown_python:
      return {{profile::FrameKind::marker, "(unknown Python)", "", "", 0, 0}};
    case stack::FrameKind::kernel:
      return {{profile::FrameKind::kernel, native::syscall_name(frame.number), std::string(profile::kKernelModule),
               std::string(profile::kKernelModule), 0, 0}};
  }
  const cpython::Code& code = codes_[cpython::CodeId{frame.number}];
  return {{profile::FrameKind::python, code.name, code.file, "", code.first_line, frame.line}};
}

std::unique_ptr<cpython::StackReader> ProcessSampler::make_reader(const PythonThread& thread) {
  return std::make_unique<cpython::StackReader>(memory_, interpreter_.layout, codes_, thread.state,
                                                cpython::StackReader::Options{.lines = options_.lines});
}

std::unique_ptr<ThreadSampler> ProcessSampler::make_sampler(const PythonThread& thread, pid_t tid) {
  auto reader = make_reader(thread);
  KernelView kernel;
  if (tid != 0) kernel = KernelView::open(process_.pid(), tid);
  auto sampler = std::make_unique<ThreadSampler>(std::move(reader), std::move(kernel), tid);
  sampler->warm_up();
  return sampler;
}

Fate ProcessSampler::fate() const {
  if (!process_.alive()) return Fate::exited;
  const auto program = program_of(process_);
  // A process on its way out loses its memory some time before it has ended. For an ordinary user, its files in /proc
  // are then closed, too.
  if (!program && program.error().kind == Failure::not_permitted && !process_.ending()) return Fate::closed;
  if (!program) return Fate::exited;
  return *program == program_ ? Fate::runs : Fate::replaced;
}

// What the kernel told the program at its start, with random addresses in it; and its file, for where nothing is
// random.
Result<std::string> ProcessSampler::program_of(const target::Process& process) {
  auto auxv = process.read_file("auxv");
  if (!auxv) return auxv;
  if (auxv->empty()) return Error{Failure::no_such_process, "it is about to end", ""};
  struct stat file {};
  if (::stat(process.path("exe").c_str(), &file) == 0) {
    *auxv += std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
  }
  return auxv;
}

}  // namespace flametap::sampler

#include "sampler/family.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "target/process_tree.h"

namespace flametap::sampler {
namespace {

using target::ProcessEvent;

constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kLongestWait = 20 * kMillisecond;
constexpr Nanoseconds kScanInterval = 4 * kMillisecond;  // where the kernel does not tell us
// What is forked to execute another program does so within this time, and is none of ours before.
constexpr Nanoseconds kForkedToExecute = 3 * kMillisecond;
constexpr Nanoseconds kFirstTry = kMillisecond;
constexpr Nanoseconds kLastTry = 10 * kSecond;     // a program that is no Python by then will not become one
constexpr Nanoseconds kTimeToStart = 2 * kSecond;  // as long as a recording waits for nothing else
constexpr Nanoseconds kMayExecute = 10 * kMillisecond;
constexpr Nanoseconds kLookInterval = kSecond / 4;  // for ends that no event told us of
constexpr int kHaste = 4;                           // tries come at an age of 1, 1 1/4, (1 1/4)^2 ... ms

bool is_called_python(pid_t pid) {
  const auto process = target::Process::open(pid);
  const auto exe = process ? process->exe_path() : Result<std::string>(process.error());
  return exe && exe->substr(exe->rfind('/') + 1).starts_with("python");
}

// 0: it has ended.
std::uint64_t start_time_of(pid_t pid) {
  const auto process = target::Process::open(pid);
  return process ? process->start_time() : 0;
}

// Its pid may be another process's by now, which has started at another time.
bool has_ended(pid_t pid, std::uint64_t start_time) { return start_time == 0 || start_time_of(pid) != start_time; }

}  // namespace

Family::Family(const Roots& roots, ProcessSampler::Options options) : options_(options) {
  options_.programs = &programs_;
  if (auto events = target::ProcessEvents::open()) events_ = std::move(*events);
  for (const ProcessSampler* process : roots.sampled) {
    process->remember_in(programs_);
    members_[process->process().pid()] = {.since = monotonic_now(),
                                          .python = true,
                                          .sampled = true,
                                          .start_time = process->process().start_time(),
                                          .program = process->program(),
                                          .counted = true};
    if (std::ranges::find(roots.pids, process->process().pid()) == roots.pids.end()) ++counts_.found;
  }
  for (const pid_t pid : roots.pids) {
    if (!members_.contains(pid)) add(pid, false);
    members_[pid].is_root = members_[pid].counted = true;
  }
  scan();
  thread_ = std::thread([this] { run(); });
}

Family::~Family() {
  stop_ = true;
  thread_.join();
}

std::vector<std::unique_ptr<ProcessSampler>> Family::take() {
  if (!any_found_) return {};
  const std::lock_guard lock(mutex_);
  any_found_ = false;
  return std::exchange(found_, {});
}

void Family::began_another_program(const ProcessSampler& process) {
  const std::lock_guard lock(mutex_);
  executed_.emplace_back(process.process().pid(), process.program());
}

Family::Counts Family::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Family::run() {
  std::vector<ProcessEvent> events;
  while (!stop_) {
    events.clear();
    if (events_) {
      if (!events_->wait(patience(), events) || std::exchange(events_were_lost_, false)) scan();
    } else {
      sleep_for(std::min(patience(), kScanInterval));
      scan();
    }
    for (const ProcessEvent& event : events) handle(event);
    restart_those_that_executed();
    if (monotonic_now() >= next_look_) forget_those_that_ended();
    try_those_due();
    alive_ = may_give_a_python();
  }
}

void Family::restart_those_that_executed() {
  decltype(executed_) executed;
  {
    const std::lock_guard lock(mutex_);
    executed.swap(executed_);
  }
  for (const auto& [pid, program] : executed) {
    // An event may have told us before: then it is sampled with its new program already, or about to be.
    const auto member = members_.find(pid);
    if (member != members_.end() && member->second.sampled && member->second.program == program) restart(pid);
  }
}

// How long nothing is to be done, if nothing happens.
Nanoseconds Family::patience() const {
  const Nanoseconds now = monotonic_now();
  Nanoseconds until = now + kLongestWait;
  for (const auto& [pid, member] : members_) {
    if (member.next_try != 0) until = std::min(until, std::max(now, member.next_try));
  }
  return until - now;
}

void Family::handle(const ProcessEvent& event) {
  switch (event.kind) {
    case ProcessEvent::Kind::forked:
      if (const auto parent = members_.find(event.parent); parent != members_.end()) {
        add(event.pid, parent->second.python);
      }
      break;
    case ProcessEvent::Kind::executed:
      if (!is_sampled_as_it_is(event.pid)) restart(event.pid);
      break;
    case ProcessEvent::Kind::exited:
      // Its first thread, that is. Others may live on, and one of them may be about to execute another program.
      if (members_.contains(event.pid)) next_look_ = std::min(next_look_, monotonic_now() + kMayExecute);
      break;
  }
}

// Finds what no event told us: where there are none, where some were lost, and what was there before us, with all that
// comes from it.
void Family::scan() {
  std::vector<pid_t> known;
  for (const auto& [pid, member] : members_) known.push_back(pid);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const pid_t parent = known[i];
    for (const pid_t child : target::children_of(parent)) {
      if (members_.contains(child)) continue;
      add(child, members_[parent].python && !is_called_python(child));
      known.push_back(child);
    }
  }
  forget_those_that_ended();
}

void Family::forget_those_that_ended() {
  std::vector<pid_t> gone;
  for (const auto& [pid, member] : members_) {
    if (has_ended(pid, member.start_time)) gone.push_back(pid);
  }
  if (!gone.empty()) handle_what_came();
  for (const pid_t pid : gone) {
    // Its pid may be that of a new member by now.
    if (const auto member = members_.find(pid); member != members_.end() && has_ended(pid, member->second.start_time)) {
      forget(pid);
    }
  }
  next_look_ = monotonic_now() + kLookInterval;
}

// The children of a process that has ended are known only when all events from before its end have been handled.
void Family::handle_what_came() {
  std::vector<ProcessEvent> events;
  if (events_ && !events_->wait(0, events)) events_were_lost_ = true;
  for (const ProcessEvent& event : events) handle(event);
}

void Family::add(pid_t pid, bool forked_by_python) {
  const Nanoseconds now = monotonic_now();
  const Nanoseconds first_try = now + (forked_by_python ? kForkedToExecute : kFirstTry);
  members_[pid] = {.since = now, .next_try = first_try, .python = forked_by_python, .start_time = start_time_of(pid)};
}

// An event may be read long after the exec that it tells of, on a busy machine after the new program was found already.
bool Family::is_sampled_as_it_is(pid_t pid) const {
  const auto member = members_.find(pid);
  if (member == members_.end() || !member->second.sampled) return false;
  const auto process = target::Process::open(pid);
  const auto program = process ? ProcessSampler::program_of(*process) : Result<std::string>(process.error());
  return program && *program == member->second.program;
}

void Family::restart(pid_t pid) {
  const auto member = members_.find(pid);
  if (member == members_.end()) return;
  const Nanoseconds now = monotonic_now();
  const Member& before = member->second;
  member->second = {.since = now,
                    .next_try = now + kFirstTry,
                    .python = is_called_python(pid),
                    .start_time = before.start_time,
                    .is_root = before.is_root,
                    .counted = before.counted};
}

void Family::forget(pid_t pid) {
  const auto member = members_.find(pid);
  if (member == members_.end()) return;
  if (member->second.python && !member->second.sampled) {
    const std::lock_guard lock(mutex_);
    ++counts_.too_short;
  }
  members_.erase(member);
}

bool Family::may_give_a_python() const {
  const Nanoseconds now = monotonic_now();
  return std::ranges::any_of(members_, [&](const auto& entry) {
    const Member& member = entry.second;
    return member.sampled || member.is_root || now - member.since < kTimeToStart;
  });
}

void Family::try_those_due() {
  const Nanoseconds now = monotonic_now();
  for (auto& [pid, member] : members_) {
    if (member.next_try != 0 && member.next_try <= now) try_to_attach(pid, member);
  }
}

void Family::try_to_attach(pid_t pid, Member& member) {
  auto process = ProcessSampler::attach(pid, options_);
  const Nanoseconds now = monotonic_now();
  const Nanoseconds age = now - member.since;
  member.next_try = age > kLastTry ? 0 : now + std::max(kFirstTry, age / kHaste);
  if (!process) {
    if (process.error().kind != Failure::not_permitted) return;
    member.next_try = 0;
    member.python = false;
    const std::lock_guard lock(mutex_);
    ++counts_.denied;
    return;
  }
  member.next_try = 0;
  member.python = member.sampled = true;
  member.program = (*process)->program();
  const std::lock_guard lock(mutex_);
  found_.push_back(std::move(*process));
  if (!std::exchange(member.counted, true)) ++counts_.found;
  any_found_ = true;
}

}  // namespace flametap::sampler

#include "tracer/thread_namer.h"

#include <utility>

#include "cpython/thread_list.h"
#include "cpython/thread_names.h"
#include "cpython/thread_tids.h"

namespace flametap::tracer {
namespace {

constexpr Nanoseconds kPause = 20'000'000;  // between two looks
// A thread that has no name after so many looks is none of threading's. A process that is starting takes some tenths of
// a second until threading is imported, if ever.
constexpr int kMaxLooks = 100;

}  // namespace

ThreadNamer::Watched* ThreadNamer::watched(pid_t pid) {
  const auto known = watched_.find(pid);
  if (known != watched_.end()) {
    if (known->second.process.alive()) return &known->second;
    watched_.erase(known);
  }
  auto process = target::Process::open(pid);
  if (!process) return nullptr;
  auto memory = std::make_unique<target::ProcessMemory>(pid);
  auto interpreter = cpython::find_interpreter(*process, *memory);
  if (!interpreter) return nullptr;
  return &watched_.emplace(pid, Watched{std::move(*process), std::move(memory), std::move(*interpreter)}).first->second;
}

std::map<pid_t, std::string> ThreadNamer::names_of(Watched& watched) {
  const cpython::Layout& layout = watched.interpreter.layout;
  const auto list = cpython::read_threads(*watched.memory, layout, watched.interpreter.runtime);
  const auto names = cpython::read_thread_names(*watched.memory, layout, list);
  const auto tids = cpython::find_tids(watched.process, *watched.memory, layout, list);
  std::map<pid_t, std::string> by_tid;
  for (std::size_t i = 0; i < list.threads.size(); ++i) {
    const auto name = names.find(list.threads[i].ident);
    if (name != names.end() && tids[i] != 0) by_tid.emplace(tids[i], name->second);
  }
  return by_tid;
}

void ThreadNamer::look(Nanoseconds now) {
  if (nameless_.empty() || now < next_look_) return;
  next_look_ = now + kPause;
  std::map<pid_t, std::map<pid_t, std::string>> names;  // by pid
  for (const auto& [thread, looks] : nameless_) {
    if (names.contains(thread->pid)) continue;
    Watched* const process = watched(thread->pid);
    names[thread->pid] = process == nullptr ? std::map<pid_t, std::string>{} : names_of(*process);
  }
  std::erase_if(nameless_, [&](Nameless& each) {
    const auto& of_process = names[each.thread->pid];
    const auto name = of_process.find(each.thread->tid);
    if (name != of_process.end()) each.thread->name = name->second;
    return name != of_process.end() || ++each.looks == kMaxLooks;
  });
}

}  // namespace flametap::tracer

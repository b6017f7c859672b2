#include "tracer/thread_namer.h"

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

std::map<pid_t, std::string> ThreadNamer::names_of(Python& python) {
  const cpython::Layout& layout = python.interpreter->layout;
  const auto list = cpython::read_threads(*python.memory, layout, python.interpreter->runtime);
  const auto names = cpython::read_thread_names(*python.memory, layout, list);
  const auto tids = cpython::find_tids(python.process, *python.memory, layout, list);
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
    Python* const process = pythons_.find(thread->pid);
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

#include "tracer/thread_namer.h"

#include "cpython/thread_list.h"
#include "cpython/thread_names.h"
#include "cpython/thread_tids.h"

namespace flametap::tracer {
namespace {

constexpr Nanoseconds kNextLook = 20'000'000;  // between two looks
// A thread that has no name after so many looks is none of threading's. A process that is starting takes some tenths of
// a second until threading is imported, if ever.
constexpr int kMaxLooks = 100;

std::map<pid_t, std::uint64_t> idents_by_tid(Python& python, const cpython::ThreadList& list) {
  const cpython::Layout& layout = python.interpreter->layout;
  const auto ids = cpython::find_kernel_ids(python.process, *python.memory, layout, list);
  std::map<pid_t, std::uint64_t> idents;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i].tid != 0) idents.emplace(ids[i].tid, list.threads[i].ident);
  }
  return idents;
}

}  // namespace

std::map<pid_t, std::string> ThreadNamer::names_of(Python& python) {
  const cpython::Layout& layout = python.interpreter->layout;
  const auto list = cpython::read_threads(*python.memory, layout, python.interpreter->runtime);
  const auto before = idents_by_tid(python, list);
  const auto names = cpython::read_thread_names(*python.memory, layout, list);
  // An ident is given again to the next thread: it was this one's all the time if it was so before and after.
  const auto after = idents_by_tid(python, cpython::read_threads(*python.memory, layout, python.interpreter->runtime));
  std::map<pid_t, std::string> by_tid;
  for (const auto& [tid, ident] : before) {
    const auto name = names.find(ident);
    const auto still = after.find(tid);
    if (name != names.end() && still != after.end() && still->second == ident) by_tid.emplace(tid, name->second);
  }
  return by_tid;
}

void ThreadNamer::look(Nanoseconds now) {
  if (nameless_.empty() || now < next_look_) return;
  next_look_ = now + kNextLook;
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

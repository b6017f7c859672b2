#include "cpython/thread_tids.h"

#include <algorithm>
#include <cstdint>

#include "target/pthread_ids.h"

namespace flametap::cpython {
namespace {

using ThreadIds = std::vector<target::Process::ThreadIds>;

const target::Process::ThreadIds* find(const ThreadIds& ids, pid_t inner_tid) {
  const auto place = std::ranges::find(ids, inner_tid, &target::Process::ThreadIds::inner_tid);
  return place == ids.end() ? nullptr : &*place;
}

// By what the C library says of them. If it says whose some descriptors are, the others are nobody's any more.
void find_by_descriptors(target::Memory& memory, const ThreadIds& ids, const ThreadList& list,
                         std::vector<KernelId>& found) {
  std::vector<std::uint64_t> descriptors;
  for (const PythonThread& thread : list.threads) descriptors.push_back(thread.ident);
  std::vector<pid_t> inner_tids;
  for (const auto& id : ids) inner_tids.push_back(id.inner_tid);
  const auto by_descriptor = target::kernel_ids(memory, descriptors, inner_tids);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].tid != 0) continue;
    if (const auto said = by_descriptor.find(list.threads[i].ident); said != by_descriptor.end()) {
      const auto [inner_tid, place] = said->second;
      found[i] = {find(ids, inner_tid)->tid, inner_tid, place};
    } else {
      found[i].is_gone = !by_descriptor.empty();
    }
  }
}

}  // namespace

std::vector<KernelId> find_kernel_ids(const target::Process& process, target::Memory& memory, const Layout& layout,
                                      const ThreadList& list) {
  std::vector<KernelId> found(list.threads.size());
  const auto ids = process.thread_ids();
  if (!ids) return found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const PythonThread& thread = list.threads[i];
    const auto* const id = thread.native_id ? find(*ids, *thread.native_id) : nullptr;
    if (id != nullptr) found[i] = {id->tid, *thread.native_id, thread.state + layout.thread.native_thread_id};
  }
  // A program that forks without telling Python leaves the ids of its parent in the states.
  if (std::ranges::find(found, 0, &KernelId::tid) != found.end()) find_by_descriptors(memory, *ids, list, found);
  return found;
}

bool still_stands(target::Memory& memory, const KernelId& id) {
  pid_t now = 0;
  return memory.read_value(id.place, now) == target::ReadStatus::ok && now == id.inner_tid;
}

}  // namespace flametap::cpython

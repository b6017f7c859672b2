#include "cpython/thread_tids.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "target/pthread_ids.h"

namespace flametap::cpython {

std::vector<pid_t> find_tids(const target::Process& process, target::Memory& memory, const Layout& layout,
                             const ThreadList& list) {
  std::vector<pid_t> tids(list.threads.size(), 0);
  const auto ids = process.thread_ids();
  if (!ids) return tids;
  std::vector<pid_t> inner_tids;
  std::vector<std::uint64_t> descriptors;
  for (const auto& id : *ids) inner_tids.push_back(id.inner_tid);
  for (const PythonThread& thread : list.threads) descriptors.push_back(thread.ident);
  std::map<std::uint64_t, pid_t> by_descriptor;
  if (layout.thread.native_thread_id == kAbsent) {
    by_descriptor = target::kernel_ids(memory, descriptors, inner_tids);
  }
  for (std::size_t i = 0; i < tids.size(); ++i) {
    const auto known = by_descriptor.find(list.threads[i].ident);
    const pid_t inner = list.threads[i].native_id.value_or(known == by_descriptor.end() ? 0 : known->second);
    const auto place = std::ranges::find(*ids, inner, &target::Process::ThreadIds::inner_tid);
    if (place != ids->end()) tids[i] = place->tid;
  }
  return tids;
}

}  // namespace flametap::cpython

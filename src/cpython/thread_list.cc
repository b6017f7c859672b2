#include "cpython/thread_list.h"

#include <unordered_set>

#include "base/bytes.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

constexpr std::size_t kMaxInterpreters = 1024;
constexpr std::size_t kMaxThreads = 16384;
constexpr std::size_t kMaxNewThreads = 32;

Address pointer_if_there(Bytes object, Offset offset) {
  return offset == kAbsent ? target::kNull : Address{load<std::uint64_t>(object, offset).value_or(0)};
}

PythonThread thread_in(Bytes object, const Layout& layout, Address at, std::size_t interpreter) {
  PythonThread thread{at, pointer_if_there(object, layout.thread.next), interpreter,
                      load<std::uint64_t>(object, layout.thread.thread_id).value_or(0), std::nullopt};
  if (layout.thread.native_thread_id != kAbsent) {
    thread.native_id = load<std::int32_t>(object, layout.thread.native_thread_id);
  }
  return thread;
}

// False: the list could not be followed to its end.
bool read_threads_of(Memory& memory, const Layout& layout, std::size_t interpreter, ThreadList& list) {
  std::vector<std::byte> object(layout.thread.size);
  const Address owner = list.interpreters[interpreter].state;
  std::unordered_set<Address> met;
  for (Address at = list.interpreters[interpreter].first_thread; at != target::kNull;) {
    if (list.threads.size() == kMaxThreads || !met.insert(at).second) return false;
    if (memory.read(at, object) != ReadStatus::ok) return false;
    if (pointer_if_there(object, layout.thread.interpreter) != owner) return false;
    list.threads.push_back(thread_in(object, layout, at, interpreter));
    at = list.threads.back().next;
  }
  return true;
}

// Where interpreters have no number of their own, they get one here. The list begins with the newest.
void number_interpreters(ThreadList& list) {
  auto id = static_cast<std::int64_t>(list.interpreters.size());
  for (PythonInterpreter& interpreter : list.interpreters) interpreter.id = --id;
}

}  // namespace

ThreadList read_threads(Memory& memory, const Layout& layout, Address runtime) {
  ThreadList list;
  Address at = target::kNull;
  if (memory.read_value(runtime + layout.runtime.interpreters_head, at) != ReadStatus::ok) return list;
  std::vector<std::byte> object(layout.interpreter.size);
  bool complete = at != target::kNull;
  while (at != target::kNull) {
    if (list.interpreters.size() == kMaxInterpreters) return list;
    if (memory.read(at, object) != ReadStatus::ok) return list;
    const auto position = static_cast<std::int64_t>(list.interpreters.size());
    const std::int64_t id = layout.interpreter.id == kAbsent
                                ? position
                                : load<std::int64_t>(object, layout.interpreter.id).value_or(position);
    list.interpreters.push_back({at, id, pointer_if_there(object, layout.interpreter.threads_head),
                                 pointer_if_there(object, layout.interpreter.gil)});
    complete = read_threads_of(memory, layout, list.interpreters.size() - 1, list) && complete;
    at = pointer_if_there(object, layout.interpreter.next);
  }
  if (layout.interpreter.id == kAbsent) number_interpreters(list);
  list.complete = complete;
  return list;
}

std::optional<PythonThread> find_new_thread(Memory& memory, const Layout& layout, const ThreadList& list,
                                            std::uint64_t ident) {
  std::vector<std::byte> object(layout.thread.size);
  for (std::size_t i = 0; i < list.interpreters.size(); ++i) {
    const Address owner = list.interpreters[i].state;
    Address at = target::kNull;
    if (memory.read_value(owner + layout.interpreter.threads_head, at) != ReadStatus::ok) return std::nullopt;
    for (std::size_t met = 0; met < kMaxNewThreads && at != target::kNull; ++met) {
      if (memory.read(at, object) != ReadStatus::ok) return std::nullopt;
      if (pointer_if_there(object, layout.thread.interpreter) != owner) return std::nullopt;
      const PythonThread thread = thread_in(object, layout, at, i);
      if (thread.ident == ident) return thread;
      at = thread.next;
    }
  }
  return std::nullopt;
}

}  // namespace flametap::cpython

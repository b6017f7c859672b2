#include "cpython/shared_words.h"

#include <algorithm>

namespace flametap::cpython {

using target::Address;

void SharedWords::follow(const Interpreter& interpreter, const ThreadList& list) {
  const Layout& layout = interpreter.layout;
  std::vector<Address> places;
  expected_.clear();
  gils_.clear();
  const auto watch = [&](Address place, Address value) {
    places.push_back(place);
    expected_.push_back(target::to_number(value));
  };
  if (!list.interpreters.empty()) {
    watch(interpreter.runtime + layout.runtime.interpreters_head, list.interpreters.front().state);
  }
  for (const PythonInterpreter& one : list.interpreters) {
    watch(one.state + layout.interpreter.threads_head, one.first_thread);
  }
  gil_kind_ = layout.gil_kind;
  gil_at_ = collects_at_ = kNowhere;
  if (gil_kind_ == GilKind::per_interpreter) {
    gil_at_ = places.size();
    for (const PythonInterpreter& one : list.interpreters) {
      // An interpreter that is just being made has no GIL yet: its own first words are read in place of it.
      const Address gil = one.gil == target::kNull ? one.state : one.gil;
      places.push_back(gil + layout.gil.holder);
      places.push_back(gil + layout.gil.locked);
      gils_.push_back({target::to_number(one.gil), one.gil == target::kNull ? 0 : layout.gil.size});
    }
  } else {
    if (interpreter.current_thread != target::kNull) {
      gil_at_ = places.size();
      places.push_back(interpreter.current_thread);
    }
    gils_.assign(list.interpreters.size(), {target::to_number(interpreter.gil), interpreter.gil_size});
  }
  one_collector_ = interpreter.collecting != target::kNull;
  if (one_collector_) {
    collects_at_ = places.size();
    places.push_back(interpreter.collecting);
  } else if (layout.interpreter.gc != kAbsent) {
    collects_at_ = places.size();
    for (const PythonInterpreter& one : list.interpreters) {
      places.push_back(one.state + layout.interpreter.gc + layout.gc.collecting);
    }
  }
  plan_segments(places);
}

// Words that touch are read as one.
void SharedWords::plan_segments(const std::vector<Address>& places) {
  words_.assign(places.size(), 0);
  segments_.clear();
  for (std::size_t i = 0; i < places.size();) {
    std::size_t count = 1;
    while (i + count < places.size() && places[i + count] == places[i] + 8 * count) ++count;
    segments_.push_back({places[i], std::as_writable_bytes(std::span{&words_[i], count})});
    i += count;
  }
}

bool SharedWords::list_changed() const { return !std::equal(expected_.begin(), expected_.end(), words_.begin()); }

Address SharedWords::gil_holder(const PythonThread& thread) const {
  if (gil_at_ == kNowhere) return target::kNull;
  if (gil_kind_ != GilKind::per_interpreter) return Address{words_[gil_at_]};
  const std::size_t at = gil_at_ + 2 * thread.interpreter;
  return static_cast<std::int32_t>(words_[at + 1]) == 1 ? Address{words_[at]} : target::kNull;
}

bool SharedWords::in_gc(const PythonThread& thread) const {
  if (collects_at_ == kNowhere || !holds_gil(thread)) return false;
  const std::size_t at = collects_at_ + (one_collector_ ? 0 : thread.interpreter);
  return static_cast<std::int32_t>(words_[at]) == 1;
}

bool SharedWords::is_gil_wait(const PythonThread& thread, std::uint64_t sleeps_on) const {
  const Gil& gil = gils_[thread.interpreter];
  return sleeps_on != 0 && sleeps_on >= gil.from && sleeps_on - gil.from < gil.size;
}

}  // namespace flametap::cpython

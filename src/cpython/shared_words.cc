#include "cpython/shared_words.h"

#include <algorithm>

namespace flametap::cpython {

using target::Address;

void SharedWords::follow(const Interpreter& interpreter, const ThreadList& list) {
  const Layout& layout = interpreter.layout;
  std::vector<Address> places;
  expected_.clear();
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
  gil_at_ = places.size();
  if (gil_kind_ == GilKind::per_interpreter) {
    for (const PythonInterpreter& one : list.interpreters) {
      // An interpreter that is just being made has no GIL yet: its own first word is read in place of it.
      const Address gil = one.gil == target::kNull ? one.state : one.gil;
      places.push_back(gil + (one.gil == target::kNull ? 0 : layout.gil.holder));
      places.push_back(gil + (one.gil == target::kNull ? 0 : layout.gil.locked));
    }
  } else if (interpreter.current_thread != target::kNull) {
    places.push_back(interpreter.current_thread);
  }
  words_.assign(places.size(), 0);
  segments_.clear();
  for (std::size_t i = 0; i < places.size(); ++i) {
    segments_.push_back({places[i], std::as_writable_bytes(std::span{&words_[i], 1})});
  }
}

bool SharedWords::list_changed() const { return !std::equal(expected_.begin(), expected_.end(), words_.begin()); }

Address SharedWords::gil_holder(const PythonThread& thread) const {
  if (gil_kind_ != GilKind::per_interpreter) return gil_at_ < words_.size() ? Address{words_[gil_at_]} : target::kNull;
  const std::size_t at = gil_at_ + 2 * thread.interpreter;
  return static_cast<std::int32_t>(words_[at + 1]) == 1 ? Address{words_[at]} : target::kNull;
}

}  // namespace flametap::cpython

#include "cpython/thread_names.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cpython/dict_reader.h"
#include "cpython/object_type.h"
#include "cpython/text.h"
#include "target/page_cache.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

// The target runs on: names are read until two readings in a row agree, but not for ever.
constexpr int kMaxPasses = 4;
// Of all dictionaries that one pass looks through.
constexpr std::size_t kMaxItems = std::size_t{1} << 18;

// One reading of all names.
class Pass {
 public:
  Pass(Memory& memory, const Layout& layout, const ThreadList& list)
      : memory_(memory), pages_(memory), layout_(layout), list_(list) {}

  ThreadNames read() {
    std::vector<std::size_t> oldest_first;
    for (std::size_t i = 0; i < list_.interpreters.size(); ++i) oldest_first.push_back(i);
    std::ranges::sort(oldest_first, {}, [&](std::size_t i) { return list_.interpreters[i].id; });
    for (const std::size_t interpreter : oldest_first) read_interpreter(interpreter);
    return std::move(names_);
  }

 private:
  void read_interpreter(std::size_t interpreter) {
    std::unordered_set<std::uint64_t> idents;
    for (const PythonThread& thread : list_.threads) {
      if (thread.interpreter == interpreter) idents.insert(thread.ident);
    }
    for (const DictItem& item : active_threads(list_.interpreters[interpreter].state)) {
      const auto ident = read_unsigned(pages_, layout_, item.key);
      if (!ident || !idents.contains(*ident)) continue;
      const Address name = find_attribute(pages_, layout_, item.value, name_attribute());
      if (!is_instance(pages_, layout_, name, layout_.type_flag.text)) continue;
      if (auto text = read_text(pages_, layout_, name)) names_.emplace(*ident, std::move(*text));
    }
  }

  // The items of threading._active. The dictionaries on the way have many keys all over the memory: one call for many
  // keys is cheaper than their pages.
  std::vector<DictItem> active_threads(Address interpreter) {
    Address modules = target::kNull;
    if (memory_.read_value(interpreter + layout_.interpreter.modules, modules) != ReadStatus::ok) return {};
    const Address threading = find_value(memory_, layout_, affordable(modules), "threading");
    return affordable(find_attribute(memory_, layout_, threading, "_active"));
  }

  std::vector<DictItem> affordable(Address dict) {
    std::vector<DictItem> items = read_items(memory_, layout_, dict);
    items.resize(std::min(items.size(), items_left_));
    items_left_ -= items.size();
    return items;
  }

  // 2.7, where names are bytes, still calls it __name, which the compiler spells out.
  [[nodiscard]] std::string_view name_attribute() const {
    return layout_.text_kind == TextKind::bytes ? "_Thread__name" : "_name";
  }

  Memory& memory_;
  target::PageCache pages_;
  const Layout& layout_;
  const ThreadList& list_;
  std::size_t items_left_ = kMaxItems;
  ThreadNames names_;
};

void keep_common(const ThreadNames& other, ThreadNames& names) {
  std::erase_if(names, [&](const auto& name) {
    const auto same = other.find(name.first);
    return same == other.end() || same->second != name.second;
  });
}

}  // namespace

ThreadNames read_thread_names(Memory& memory, const Layout& layout, const ThreadList& list) {
  if (layout.interpreter.modules == kAbsent || layout.dict.keys == kAbsent) return {};
  const auto read = [&] { return Pass(memory, layout, list).read(); };
  ThreadNames before = read();
  ThreadNames now = read();
  for (int passes = 2; passes < kMaxPasses && now != before; ++passes) {
    before = std::move(now);
    now = read();
  }
  keep_common(before, now);
  return now;
}

}  // namespace flametap::cpython

// Dictionaries of the target, and the attributes of its objects, which are dictionaries or nearly so.
//
// The target keeps running: what is read may be torn or old, so that a key may come with another key's value. Whoever
// needs to be sure reads twice and compares. Lengths are bounded; what is implausible is taken for no dictionary.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

// Dictionaries with more slots are not read.
inline constexpr std::size_t kMaxDictSlots = std::size_t{1} << 16;

struct DictItem {
  target::Address key;
  target::Address value;  // never null
};

// The items of a dict object; none if it is no dict.
[[nodiscard]] std::vector<DictItem> read_items(target::Memory& memory, const Layout& layout, target::Address dict);

// The value of an ASCII key, a str object, among these items. Null: there is none.
[[nodiscard]] target::Address find_value(target::Memory& memory, const Layout& layout,
                                         const std::vector<DictItem>& items, std::string_view key);

// What an object keeps itself as its attribute `name`, not what its class has. Null: there is none.
[[nodiscard]] target::Address find_attribute(target::Memory& memory, const Layout& layout, target::Address object,
                                             std::string_view name);

}  // namespace flametap::cpython

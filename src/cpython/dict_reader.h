// Dictionaries of the target, and the attributes of its objects, which are dictionaries or nearly so.
//
// The target keeps running: what is read may be torn or old, so that a key may come with another key's value. Whoever
// needs to be sure reads the trail once more. Lengths are bounded; what is implausible is taken for no dictionary.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

// Dictionaries with more slots are not read.
inline constexpr std::size_t kMaxDictSlots = std::size_t{1} << 16;

// A pointer that was followed: where it stood and what it was. Where a trail led is right while all its steps stand.
struct Step {
  target::Address place;
  target::Address pointer;
};
using Trail = std::vector<Step>;

struct DictItem {
  target::Address key;
  target::Address value;      // never null
  target::Address key_place;  // of the pointer to the key
  target::Address place;      // of the pointer to the value
};

struct DictContents {
  std::vector<DictItem> items;
  Trail trail;  // from the dict object to the table
};

// What a dict object holds; nothing if it is no dict.
[[nodiscard]] DictContents read_dict(target::Memory& memory, const Layout& layout, target::Address dict);

// The item with an ASCII key, a str object. Null: there is none. Points into `items`.
[[nodiscard]] const DictItem* find_item(target::Memory& memory, const Layout& layout,
                                        const std::vector<DictItem>& items, std::string_view key);

struct Attribute {
  target::Address value = target::kNull;  // null: there is none
  Trail trail;                            // from the object to the value
};

// What an object keeps itself as its attribute `name`, not what its class has.
[[nodiscard]] Attribute find_attribute(target::Memory& memory, const Layout& layout, target::Address object,
                                       std::string_view name);

}  // namespace flametap::cpython

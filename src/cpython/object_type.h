// What a target's object is: its type's flags, which tell the kinds of object that we read, and whole numbers.
//
// Everything is checked before it is believed: an object may be torn, freed or no object at all.
#pragma once

#include <cstdint>
#include <optional>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

struct ObjectType {
  target::Address address = target::kNull;      // of the type object
  std::uint64_t flags = 0;                      // see Layout::TypeFlag
  std::int64_t basic_size = 0;                  // of its instances
  std::int64_t dict_offset = 0;                 // 0 or less: no dictionary at a fixed place
  target::Address shared_keys = target::kNull;  // where the version has them, and only of a class made by Python code
};

// Nothing if it cannot be read, or if the layout does not say where types keep this.
[[nodiscard]] std::optional<ObjectType> read_type(target::Memory& memory, const Layout& layout, target::Address object);

// Whether the object is of the type that `flag` tells, or of a subclass.
[[nodiscard]] bool is_instance(target::Memory& memory, const Layout& layout, target::Address object,
                               std::uint32_t flag);

// An int that fits into a word. Nothing if it is negative, larger or no int. (2.7: int only, not long.)
[[nodiscard]] std::optional<std::uint64_t> read_unsigned(target::Memory& memory, const Layout& layout,
                                                         target::Address object);

}  // namespace flametap::cpython

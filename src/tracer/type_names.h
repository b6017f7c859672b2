// TypeNames: what the types of a target's objects are called. Reads them from the living target: types hardly ever
// change, and those that are static structs of C code never do, so these are kept; the target may have ended by the
// time we come to an object of theirs.
//
// Borrows the memory and the layout. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::tracer {

class TypeNames {
 public:
  struct Type {
    std::string name;         // "int", "_io.TextIOWrapper", "__main__.Point"; valid UTF-8
    std::uint64_t flags = 0;  // see cpython::Layout::TypeFlag
    bool built_in = false;    // a static struct of C code: what it is called, it is
  };

  TypeNames(target::Memory& live, const cpython::Layout& layout) : live_(live), layout_(layout) {}

  // Nothing if there is no such type object, or it cannot be read.
  [[nodiscard]] std::optional<Type> find(target::Address type);

 private:
  [[nodiscard]] std::optional<Type> read(target::Address type);
  // The module of a class; empty if it cannot be found.
  [[nodiscard]] std::string module_of(target::Address type);

  target::Memory& live_;
  const cpython::Layout& layout_;
  std::unordered_map<std::uint64_t, Type> built_in_;
};

}  // namespace flametap::tracer

// Objects of a target as Python's repr would write them, if they are simple; else by their type: <pathlib.PosixPath>.
//
// Everything is checked before it is believed: an object may be torn, freed or no object at all.
#pragma once

#include <string>

#include "cpython/layout.h"
#include "target/memory.h"
#include "tracer/type_names.h"

namespace flametap::tracer {

// None, bool, int, float, str and bytes, and tuples and lists of such, three deep; no subclasses, whose repr may say
// anything. The objects come from `objects`, for example a CapturedMemory. What is left out because it is long or
// cannot be read becomes "…": 'a long text'…, (1, 2, …). Always valid UTF-8, and less than 64 KiB.
[[nodiscard]] std::string object_text(target::Memory& objects, TypeNames& types, const cpython::Layout& layout,
                                      target::Address object);

}  // namespace flametap::tracer

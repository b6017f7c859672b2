// What the programs in the kernel need to know of one CPython, made from what cpython/ found out about it.
#pragma once

#include "base/result.h"
#include "bpf/python_layout.h"
#include "cpython/interpreter.h"

namespace flametap::tracer {

// Fails with Failure::not_python for versions before 3.7.
[[nodiscard]] Result<flametap_python_layout> python_layout(const cpython::Interpreter& interpreter);

}  // namespace flametap::tracer

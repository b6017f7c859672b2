// Where the arguments of a marker are, from the words of its note ("8@%rbp -4@112(%rsp)") to what the programs in the
// kernel follow.
#pragma once

#include <string_view>

#include "base/result.h"
#include "bpf/marker.h"

namespace flametap::tracer {

// Those behind the last that the programs can use are passed by. Fails for a form that compilers give to no marker of
// CPython.
[[nodiscard]] Result<flametap_marker> parse_arguments(std::string_view words);

}  // namespace flametap::tracer

// Greenlets: coroutines that take turns on one C stack. What a greenlet has called lies there only while it runs; the
// part further out than its beginning is that of others, who have gone on since: to unwind into it finds return
// addresses of calls that are long over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace flametap::sampler {

// Whose code a native frame is.
enum class Home : std::uint8_t {
  interpreter,
  c_library,
  greenlet,        // the library that switches greenlets
  greenlet_start,  // its function that a greenlet begins with, or one that may be: it has no name
  other,
};

// Whether a library, by the name of its file, is the one that switches greenlets.
[[nodiscard]] bool switches_greenlets(std::string_view file_name);
// Of that library, by a function's symbol.
[[nodiscard]] bool starts_greenlet(std::string_view symbol);

struct GreenletStack {
  std::size_t length;  // how many of the frames are the running greenlet's, from the innermost on
  bool switching;  // one greenlet is being copied over the other: what lies on the stack belongs together with nothing
};

// `homes`: of all frames, the innermost first.
[[nodiscard]] GreenletStack running_greenlet(std::span<const Home> homes);

}  // namespace flametap::sampler

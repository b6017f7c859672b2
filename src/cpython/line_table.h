// Which source line an instruction belongs to, from a code object's line table: exactly what PyCode_Addr2Line of that
// version answers. Pure functions over bytes that may be torn or hostile: never read beyond the table, never overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "cpython/layout.h"

namespace flametap::cpython {

// The line of the instruction that begins `instruction` bytes into the code. A negative one stands for a frame that has
// not begun yet: it is at the first line. Nothing if the compiler gave the instruction no line, or if the table does
// not cover it.
[[nodiscard]] std::optional<std::int32_t> line_of(LineTableKind kind, Bytes table, std::int32_t first_line,
                                                  std::int32_t instruction);

// LineMap: a line table decoded once, for many questions.
class LineMap {
 public:
  LineMap() = default;
  LineMap(LineTableKind kind, Bytes table, std::int32_t first_line);

  // The same answer as line_of. Allocates nothing.
  [[nodiscard]] std::optional<std::int32_t> line_at(std::int32_t instruction) const;

 private:
  struct Stretch {
    std::int32_t start;  // and up to the start of the next
    std::int32_t line;   // or kNoLine
  };

  std::int32_t first_line_ = 0;
  std::vector<Stretch> stretches_;  // sorted; the last one ends the table and has no line, unless it is endless
};

}  // namespace flametap::cpython

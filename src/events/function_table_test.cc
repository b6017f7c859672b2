#include "events/function_table.h"

#include <gtest/gtest.h>

namespace flametap::events {
namespace {

TEST(FunctionTable, IsBounded) {
  FunctionTable table;
  for (std::int32_t line = 1; line < static_cast<std::int32_t>(FunctionTable::kMaxFunctions) + 100; ++line) {
    (void)table.called("a.py", "f", line);
  }
  EXPECT_EQ(table.size(), FunctionTable::kMaxFunctions + 1);
  EXPECT_EQ(table.called("b.py", "f", 1), FunctionTable::kOthers);
  EXPECT_EQ(table.called("a.py", "f", 7), 7U);
}

}  // namespace
}  // namespace flametap::events

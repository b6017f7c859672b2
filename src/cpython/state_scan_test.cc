#include "cpython/state_scan.h"

#include <gtest/gtest.h>

#include "cpython/fake_interpreter.h"
#include "cpython/layout_table.h"

namespace flametap::cpython {
namespace {

TEST(StateScanTest, FindsTheInterpreterAmongVariables) {
  for (const Layout& layout : all_layouts()) {
    if (layout.free_threaded) continue;
    FakeInterpreter python(layout);
    python.call(python.add_thread(0x7000, 1), python.make_code("f", "file.py", 1));
    EXPECT_EQ(scan_for_runtime(python.memory(), layout, python.runtime(), 4096), python.runtime())
        << to_string(layout.version);
  }
}

TEST(StateScanTest, DoesNotTakeAThreadForAnInterpreter) {
  for (const Layout& layout : all_layouts()) {
    if (layout.free_threaded) continue;
    FakeInterpreter python(layout);
    const auto& thread = python.add_thread(0x7000, 1);
    python.call(python.add_thread(0x8000, 2), python.make_code("f", "file.py", 1));
    // Variables that point to a thread and to nothing useful, but to no interpreter.
    const target::Address variables = python.allocate(4096);
    python.put(variables + 1024, target::to_number(thread.state));
    python.put(variables + 1032, 0x1234567);
    EXPECT_EQ(scan_for_runtime(python.memory(), layout, variables, 4096), std::nullopt) << to_string(layout.version);
  }
}

TEST(StateScanTest, DoesNotTakeAListForAnInterpreter) {
  for (const Layout& layout : all_layouts()) {
    if (layout.free_threaded) continue;
    FakeInterpreter python(layout);
    // Two members of a circular list, of which every word points to the other; but for the frame, which is null.
    const target::Address one = python.allocate(4096);
    const target::Address other = python.allocate(4096);
    const target::Address variables = python.allocate(4096);
    for (std::uint64_t offset = 0; offset < 512; offset += 8) {
      python.put(one + offset, target::to_number(other));
      python.put(other + offset, target::to_number(one));
    }
    python.put(other + layout.thread.frame, 0);
    python.put(variables + 1024, target::to_number(one));
    EXPECT_EQ(scan_for_runtime(python.memory(), layout, variables, 4096), std::nullopt) << to_string(layout.version);
  }
}

}  // namespace
}  // namespace flametap::cpython

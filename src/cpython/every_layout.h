// For tests that are run with every layout that we know.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpython/layout_table.h"

namespace flametap::cpython {

inline std::vector<const Layout*> every_layout() {
  std::vector<const Layout*> layouts;
  for (const Layout& layout : all_layouts()) layouts.push_back(&layout);
  return layouts;
}

inline std::string layout_name(const testing::TestParamInfo<const Layout*>& each) {
  const Layout& layout = *each.param;
  return "v" + std::to_string(layout.version.major) + "_" + std::to_string(layout.version.minor) + "_" +
         std::to_string(layout.version.micro) + (layout.trace_refs ? "_trace_refs" : "") +
         (layout.free_threaded ? "_free_threaded" : "");
}

}  // namespace flametap::cpython

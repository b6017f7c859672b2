#include "cpython/layout_table.h"

#include <algorithm>
#include <array>

namespace flametap::cpython {
namespace {

constexpr Layout kGeneratedRows[] = {
#include "cpython/layouts.inc"
};

constexpr DebugOffsetsShape kShapes[] = {
#include "cpython/debug_offset_shapes.inc"
};

constexpr auto kRows = [] {
  std::array<Layout, std::size(kGeneratedRows)> rows;
  std::transform(std::begin(kGeneratedRows), std::end(kGeneratedRows), rows.begin(), with_sizes);
  return rows;
}();

constexpr Version kFirstSelfDescribed = kShapes[0].version;

constexpr bool same_minor(Version one, Version other) { return one.major == other.major && one.minor == other.minor; }

// The newest of `candidates` that is not newer than `version`. The tables are sorted, oldest first.
template <typename Candidates, typename Wanted>
auto* newest_until(const Candidates& candidates, Version version, const Wanted& wanted) {
  decltype(std::data(candidates)) best = nullptr;
  for (const auto& candidate : candidates) {
    if (candidate.version <= version && wanted(candidate)) best = &candidate;
  }
  return best;
}

}  // namespace

const Layout* find_layout(Version version, bool trace_refs) {
  if (version >= kFirstSelfDescribed) return nullptr;
  return newest_until(kRows, version, [&](const Layout& row) {
    return same_minor(row.version, version) && row.trace_refs == trace_refs;
  });
}

std::span<const std::string_view> trace_refs_symbols() {
  static constexpr std::string_view kSymbols[] = {"Py_InitModule4TraceRefs_64", "PyModule_Create2TraceRefs"};
  return kSymbols;
}

std::optional<SelfDescribed> find_self_described(Version version, bool free_threaded) {
  const auto* shape = newest_until(kShapes, version, [](const DebugOffsetsShape&) { return true; });
  if (shape == nullptr || version.major != shape->version.major) return std::nullopt;
  const auto* row =
      newest_until(kRows, version, [&](const Layout& candidate) { return candidate.free_threaded == free_threaded; });
  return SelfDescribed{shape, row, same_minor(shape->version, version)};
}

std::span<const Layout> all_layouts() { return kRows; }

}  // namespace flametap::cpython

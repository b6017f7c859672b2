// How much a profile that comes from a file may hold. Far above what a recording makes, and low enough that no file can
// exhaust the machine or overflow a sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace flametap::format {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxJsonDepth = 32;
inline constexpr std::uint32_t kMaxStackDepth = 1 << 16;
// pprof's numbers are signed.
inline constexpr std::uint64_t kMaxSum = std::numeric_limits<std::int64_t>::max();

}  // namespace flametap::format

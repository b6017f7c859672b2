// How much a profile that comes from a file may hold. Far above what a recording makes, and low enough that no file can
// exhaust the machine or overflow a sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace flametap::format {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxUnpackedBytes = std::size_t{1} << 29;  // of a compressed file
inline constexpr std::size_t kMaxJsonDepth = 32;
inline constexpr std::uint32_t kMaxStackDepth = 1 << 16;
inline constexpr std::size_t kMaxStacks = std::size_t{1} << 24;   // distinct ones, with all their callers
inline constexpr std::size_t kMaxSamples = std::size_t{1} << 26;  // of another tool
inline constexpr std::size_t kMaxThreads = std::size_t{1} << 20;
inline constexpr std::size_t kMaxTableRows = std::size_t{1} << 24;  // strings, functions or locations of a pprof file
inline constexpr std::size_t kMaxNameBytes = std::size_t{1} << 16;  // of a name in the file of another tool
// pprof's numbers are signed.
inline constexpr std::uint64_t kMaxSum = std::numeric_limits<std::int64_t>::max();

}  // namespace flametap::format

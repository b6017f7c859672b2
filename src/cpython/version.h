// The version of a CPython, as its PY_VERSION_HEX gives it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace flametap::cpython {

struct Version {
  int major = 0;
  int minor = 0;
  int micro = 0;

  auto operator<=>(const Version&) const = default;

  [[nodiscard]] static constexpr Version from_hex(std::uint32_t hex) {
    return {static_cast<int>(hex >> 24), static_cast<int>(hex >> 16 & 0xff), static_cast<int>(hex >> 8 & 0xff)};
  }
};

[[nodiscard]] inline std::string to_string(Version version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.micro);
}

}  // namespace flametap::cpython

// The version of a CPython, and how it is found from outside. In the order of trust:
//   3.13+  the second word of _PyRuntime, see debug_offsets.h
//   3.11+  the exported variable Py_Version, a uint32 as from_hex takes it
//   all    the text that Py_GetVersion composed in a static buffer when the interpreter started: find_version_string
//          over the writable part (.data and .bss) of the file that defines Py_GetVersion, in the target's memory. The
//          file itself will not do: its read-only data holds the bare number only, which some linkers merge into the
//          tail of another string.
//   all    the name of the file, without the micro version: version_from_file_name
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace flametap::cpython {

struct Version {
  // Sorts behind all others, so that it stands for the newest of its minor version.
  static constexpr int kUnknownMicro = 0xff;

  int major = 0;
  int minor = 0;
  int micro = 0;

  auto operator<=>(const Version&) const = default;

  [[nodiscard]] static constexpr Version from_hex(std::uint32_t hex) {
    return {static_cast<int>(hex >> 24), static_cast<int>(hex >> 16 & 0xff), static_cast<int>(hex >> 8 & 0xff)};
  }
};

// "3.8.18", or "3.8" if the micro version is not known.
[[nodiscard]] inline std::string to_string(Version version) {
  const std::string minor = std::to_string(version.major) + "." + std::to_string(version.minor);
  return version.micro == Version::kUnknownMicro ? minor : minor + "." + std::to_string(version.micro);
}

// The first "3.8.18 (" or the like in some bytes: how sys.version begins, before the date of the build.
[[nodiscard]] std::optional<Version> find_version_string(Bytes bytes);

// From "libpython3.8.so.1.0", "python3.11-dbg", "/usr/bin/python2.7" and their like, with kUnknownMicro.
[[nodiscard]] std::optional<Version> version_from_file_name(std::string_view path);

}  // namespace flametap::cpython

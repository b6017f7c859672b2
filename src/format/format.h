// The formats that a profile can be written in, by name and by file extension.
//
// A writer takes any profile and cannot fail: what it gets is bounded by what was recorded or read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::format {

enum class Format : std::uint8_t { html, svg, folded, speedscope, pprof, chrome, cpuprofile, json, ftap };

inline constexpr Format kDefaultFormat = Format::html;

[[nodiscard]] std::string_view name(Format format);
[[nodiscard]] std::string_view extension(Format format);  // with its dot: ".svg"
[[nodiscard]] std::string known_formats();                // "html, svg, ..."

[[nodiscard]] Result<Format> format_by_name(std::string_view name);

// By the longest extension that fits: `a.speedscope.json` is speedscope, `a.json` is json.
[[nodiscard]] Result<Format> format_by_path(std::string_view path);

// How -f and -o decide together: a name wins; then the path's extension; `-` and no path at all mean the default.
[[nodiscard]] Result<Format> choose_format(std::string_view name, std::string_view path);

// The extension that `path` ends with, one of ours before any other: ".pb.gz", ".txt", or "" if there is none.
[[nodiscard]] std::string_view extension_of(std::string_view path);

// Whether it says when each sample was taken; the others add up all samples of one thread and stack.
[[nodiscard]] bool keeps_time(Format format);

// Whether a profile reads back from it as it was, so that every view can be made of it later.
[[nodiscard]] bool keeps_everything(Format format);

[[nodiscard]] std::string write(Format format, const profile::Profile& profile);

}  // namespace flametap::format

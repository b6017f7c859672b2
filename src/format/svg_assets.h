// The script and the style inside every flame graph; generated from svg.js and svg.css by the build.
#pragma once

#include <string_view>

namespace flametap::format {

extern const std::string_view kSvgScript;
extern const std::string_view kSvgStyle;

}  // namespace flametap::format

// A JSON text as a document, and which kind of profile it holds.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace flametap::format {

// Bounded by limits.h. An error says in which line and column the text is no JSON any more.
[[nodiscard]] Result<nlohmann::json> parse_json(std::string_view text);

enum class JsonKind : std::uint8_t { flametap, speedscope, chrome_trace, cpu_profile, other };

// Told by the first key of the outermost object that tells it; the text may be damaged behind that.
[[nodiscard]] JsonKind kind_of_json(std::string_view text);

}  // namespace flametap::format

// The word that a misspelt one was most likely meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flametap::cli {

// Empty if none is near. Letters that were left out, added, exchanged or swapped with their neighbour are one step
// each.
[[nodiscard]] std::string nearest_word(std::string_view typed, const std::vector<std::string>& known);

}  // namespace flametap::cli

#include "cli/nearest_word.h"

#include <algorithm>
#include <cstddef>

namespace flametap::cli {
namespace {

constexpr std::size_t kLongestWord = 64;  // what is longer was not meant to be one of ours

// How many steps lead from one word to the other: the optimal string alignment distance.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> before_last(other.size() + 1), last(other.size() + 1), current(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t exchanged = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      current[j] = std::min({exchanged, last[j] + 1, current[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (is_swap) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[other.size()];
}

}  // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& known) {
  if (typed.size() > kLongestWord) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;  // a third of the letters may be wrong
  for (const std::string& word : known) {
    if (const std::size_t steps = distance(typed, word); steps < least) {
      nearest = word;
      least = steps;
    }
  }
  return nearest;
}

}  // namespace flametap::cli

#include "base/pattern.h"

namespace flametap {
namespace {

// std::regex recurses for every character it looks at.
constexpr std::size_t kMaxMatchedName = 1024;

}  // namespace

Result<Pattern> Pattern::compile(const std::string& pattern, const std::string& what) {
  try {
    return Pattern(pattern);
  } catch (const std::regex_error& error) {
    return Error{Failure::usage, "not a regular expression for " + what + ": " + pattern + ": " + error.what(), ""};
  }
}

bool Pattern::matches(std::string_view name) const {
  if (all_) return true;
  name = name.substr(0, kMaxMatchedName);
  try {
    return std::regex_search(name.begin(), name.end(), expression_);
  } catch (const std::regex_error&) {
    return false;  // too complex for this name
  }
}

}  // namespace flametap

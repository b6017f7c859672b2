// Pattern: a regular expression (ECMAScript's) that people gave, looked for in names.
#pragma once

#include <regex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flametap {

class Pattern {
 public:
  // Matches everything.
  Pattern() = default;

  // `what` it is for, in the message; an empty one matches everything.
  [[nodiscard]] static Result<Pattern> compile(const std::string& pattern, const std::string& what);

  [[nodiscard]] bool matches_all() const { return all_; }
  // Whether it is found anywhere in the name, of which only the first 1024 bytes are looked at.
  [[nodiscard]] bool matches(std::string_view name) const;

 private:
  explicit Pattern(const std::string& pattern) : all_(pattern.empty()), expression_(pattern) {}

  bool all_ = true;
  std::regex expression_;
};

}  // namespace flametap

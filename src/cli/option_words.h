// What the words of options have in common, whatever the command.
#pragma once

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace flametap::cli {

[[nodiscard]] inline bool given(const CLI::App& command, const char* option) { return command.count(option) > 0; }

// Sets a part of a request to what a word means. False, and the error, if it means nothing.
template <typename Value, typename Part>
[[nodiscard]] bool take(const Result<Value>& value, Part& part, Error& error) {
  if (value) {
    part = *value;
  } else {
    error = value.error();
  }
  return value.ok();
}

}  // namespace flametap::cli

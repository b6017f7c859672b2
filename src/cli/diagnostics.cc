#include "cli/diagnostics.h"

#include <fmt/format.h>

#include <cstdio>

namespace flametap::cli {

std::string describe(const Error& error) {
  std::string text = "flametap: " + error.message + "\n";
  if (!error.remedy.empty()) text += "  try: " + error.remedy + "\n";
  return text;
}

int fail(const Error& error) {
  const std::string text = describe(error);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return static_cast<int>(error.kind);
}

void note(const std::string& line) { fmt::print(stderr, "flametap: {}\n", line); }

}  // namespace flametap::cli

#include "cli/diagnostics.h"

#include <cerrno>
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

bool is_closed_pipe(const Error& error) { return error.error_number == EPIPE; }

int end_with(const Result<std::string>& written) {
  return written || is_closed_pipe(written.error()) ? 0 : fail(written.error());
}

void warn(const std::string& text) {
  const std::string line = "flametap: warning: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Error cannot(const std::string& what, pid_t pid, const Error& error) {
  const std::string number = std::to_string(pid);
  const bool named = error.message.find(number) != std::string::npos;
  return error.within("cannot " + what + (named ? "" : " process " + number));
}

}  // namespace flametap::cli

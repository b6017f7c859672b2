#include "cli/diagnostics.h"

#include <cerrno>
#include <cstdio>

#include "cli/terminal.h"

namespace flametap::cli {

std::string describe(const Error& error, Columns columns) {
  std::string text = wrapped("flametap: " + error.message, columns, 0, 4) + "\n";
  if (!error.remedy.empty()) text += "  try: " + error.remedy + "\n";
  return text;
}

int fail(const Error& error) {
  const std::string text = describe(error, error_columns());
  std::fwrite(text.data(), 1, text.size(), stderr);
  return static_cast<int>(error.kind);
}

bool is_closed_pipe(const Error& error) { return error.error_number == EPIPE; }

int end_with(const Result<std::string>& written) {
  return written || is_closed_pipe(written.error()) ? 0 : fail(written.error());
}

void warn(const std::string& text) {
  const std::string line = wrapped("flametap: warning: " + text, error_columns(), 0, 4) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Error cannot(const std::string& what, pid_t pid, const Error& error) {
  const std::string number = std::to_string(pid);
  const bool named = error.message.find(number) != std::string::npos;
  return error.within("cannot " + what + (named ? "" : " process " + number));
}

}  // namespace flametap::cli

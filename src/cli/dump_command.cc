#include "cli/dump_command.h"

#include <unistd.h>

#include <cstdlib>

#include "cli/diagnostics.h"
#include "cli/thread_dump.h"
#include "format/output_file.h"

namespace flametap::cli {
namespace {

// NO_COLOR is a convention of many programs.
bool may_colour() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace

int dump(const DumpRequest& request) {
  const auto taken = take_dump(request.pid);
  if (!taken) return fail(taken.error());
  const auto written = format::write_output("-", request.json ? to_json(*taken) : to_text(*taken, may_colour()));
  return written ? 0 : fail(written.error());
}

}  // namespace flametap::cli

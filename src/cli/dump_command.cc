#include "cli/dump_command.h"

#include "cli/diagnostics.h"
#include "cli/terminal.h"
#include "cli/thread_dump.h"
#include "format/output_file.h"

namespace flametap::cli {

int dump(const DumpRequest& request) {
  auto taken = take_dump(request.pid, request.native);
  if (!taken) return fail(taken.error());
  put_main_thread_first(*taken);
  const auto written =
      format::write_output("-", request.json ? to_json(*taken) : to_text(*taken, may_colour(), output_columns()));
  return end_with(written);
}

}  // namespace flametap::cli

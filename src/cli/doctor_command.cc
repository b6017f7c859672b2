#include "cli/doctor_command.h"

#include "cli/diagnostics.h"
#include "cli/doctor_report.h"
#include "cli/terminal.h"
#include "format/output_file.h"

namespace flametap::cli {

int doctor(const DoctorRequest& request) {
  Diagnosis diagnosis{.machine = look_at_machine()};
  if (request.pid) diagnosis.process = look_at_process(*request.pid);
  const auto written =
      format::write_output("-", request.json ? to_json(diagnosis) : to_text(diagnosis, may_colour(), output_columns()));
  if (!written && !is_closed_pipe(written.error())) return fail(written.error());
  if (diagnosis.process && diagnosis.process->error) {
    return fail(cannot("record", *request.pid, *diagnosis.process->error));
  }
  return 0;
}

}  // namespace flametap::cli

#include "cli/doctor_command.h"

#include "cli/diagnostics.h"

namespace flametap::cli {

int doctor(std::optional<pid_t>) { return fail({Failure::failed, "doctor is not there yet", ""}); }

}  // namespace flametap::cli

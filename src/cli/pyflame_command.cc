#include "cli/pyflame_command.h"

#include "cli/diagnostics.h"

namespace flametap::cli {

int pyflame(int, char**) { return fail({Failure::failed, "pyflame is not there yet", ""}); }

}  // namespace flametap::cli

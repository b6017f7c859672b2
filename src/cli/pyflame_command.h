// The program under the name `pyflame`: Pyflame's options and output, for scripts that were written for it.
#pragma once

namespace flametap::cli {

[[nodiscard]] int pyflame(int argc, char** argv);

}  // namespace flametap::cli

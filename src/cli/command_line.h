// The command line: which command the words ask for, and what they ask of it. Its --help is the documentation.
#pragma once

namespace flametap::cli {

// Does what the words ask for; gives the exit code. Called as `pyflame`, it speaks that program's language.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace flametap::cli

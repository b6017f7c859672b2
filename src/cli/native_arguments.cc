#include "cli/native_arguments.h"

#include <CLI/CLI.hpp>

#include "cli/option_words.h"

namespace flametap::cli {

void add_native_options(CLI::App& command, NativeWords& words) {
  command.add_flag("--native{short}", words.native, "C and C++ functions, too; =full: also the interpreter's own")
      ->type_name("[=full]");
  command.add_flag("--inlines", words.inlines, "With --native: inlined functions as frames of their own");
}

Result<std::optional<sampler::NativeOptions>> native_options(const CLI::App& app, const NativeWords& words) {
  std::optional<sampler::NativeOptions> options;
  if (!given(app, "--native")) {
    if (words.inlines) return Error{Failure::usage, "--inlines goes with --native", ""};
    return options;
  }
  if (words.native != "short" && words.native != "full")
    return Error{Failure::usage, "'" + words.native + "' is no way to show native frames", "--native or --native=full"};
  options.emplace();
  options->full = words.native == "full";
  options->inlines = words.inlines;
  return options;
}

}  // namespace flametap::cli

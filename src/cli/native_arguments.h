// The words of --native, which several commands have, and what they ask for.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "sampler/native_process.h"

namespace CLI {
class App;
}

namespace flametap::cli {

// As they were typed.
struct NativeWords {
  std::string native;
  bool inlines = false;
};

void add_native_options(CLI::App& command, NativeWords& words);

// Nothing if no C stacks are asked for.
[[nodiscard]] Result<std::optional<sampler::NativeOptions>> native_options(const CLI::App& app,
                                                                           const NativeWords& words);

}  // namespace flametap::cli

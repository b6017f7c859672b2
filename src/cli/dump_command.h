// `flametap dump`: one sample of every thread of a process, now.
#pragma once

#include <sys/types.h>

#include <optional>

#include "sampler/native_process.h"

namespace flametap::cli {

struct DumpRequest {
  pid_t pid = 0;
  bool json = false;
  std::optional<sampler::NativeOptions> native = {};
};

[[nodiscard]] int dump(const DumpRequest& request);

}  // namespace flametap::cli

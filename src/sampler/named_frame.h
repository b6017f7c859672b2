// NamedFrame: a frame of a sampled stack as people and files know it.
#pragma once

#include <cstdint>
#include <string>

#include "profile/profile.h"

namespace flametap::sampler {

struct NamedFrame {
  profile::FrameKind kind = profile::FrameKind::python;
  std::string name;
  std::string file;    // of a native one without a known source: its module
  std::string module;  // of a native one: the path of its program or library
  std::int32_t first_line = 0;
  std::int32_t line = 0;

  auto operator<=>(const NamedFrame&) const = default;
};

}  // namespace flametap::sampler

// How much a test does to find what is rare. `./run-tests --full` says so in the environment.
#pragma once

#include <cstdlib>
#include <string_view>

namespace flametap {

inline int times(int usually, int in_a_full_run) {
  const char* full = std::getenv("FLAMETAP_FULL");
  return full != nullptr && std::string_view(full) == "1" ? in_a_full_run : usually;
}

}  // namespace flametap

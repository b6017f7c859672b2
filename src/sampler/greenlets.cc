#include "sampler/greenlets.h"

namespace flametap::sampler {

bool switches_greenlets(std::string_view file_name) {
  return file_name.starts_with("_greenlet.") || file_name.starts_with("greenlet.");
}

// As a C function, or somewhere in the mangled name of a C++ one.
bool starts_greenlet(std::string_view symbol) {
  return symbol.find("inner_bootstrap") != symbol.npos || symbol.find("g_initialstub") != symbol.npos;
}

GreenletStack running_greenlet(std::span<const Home> homes) {
  bool copies = true;  // so far there are only functions that copying a stack takes
  for (std::size_t i = 0; i < homes.size(); ++i) {
    switch (homes[i]) {
      case Home::greenlet:
        if (copies) return {homes.size(), true};
        break;
      case Home::greenlet_start:
        if (copies) return {homes.size(), true};
        return {i + 1, false};
      case Home::c_library:
        break;
      case Home::interpreter:
      case Home::other:
        copies = false;
        break;
    }
  }
  return {homes.size(), false};
}

}  // namespace flametap::sampler

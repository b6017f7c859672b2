// The viewer, built from web/ and carried in the program: one script and one style sheet, each with the source
// expression by which a Content-Security-Policy allows it and nothing else.
//
// The hashes are made where the bundle is built, since it never changes afterwards: the program needs no SHA-256.
#pragma once

#include <string_view>

namespace flametap::viewer {

struct Asset {
  std::string_view text;
  std::string_view hash;  // "sha256-..."
};

struct Bundle {
  Asset script;
  Asset style;
};

[[nodiscard]] Bundle bundle();

}  // namespace flametap::viewer

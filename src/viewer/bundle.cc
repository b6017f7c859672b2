#include "viewer/bundle.h"

#include <array>
#include <cstddef>

// Included by the assembler: a string literal of this size would take the compiler long, and standard C++ may refuse
// it.
asm(".pushsection .rodata\n"
    "flametap_viewer_script_begin: .incbin \"" FLAMETAP_BUNDLE
    "/viewer.js\"\n"
    "flametap_viewer_script_end:\n"
    "flametap_viewer_style_begin: .incbin \"" FLAMETAP_BUNDLE
    "/viewer.css\"\n"
    "flametap_viewer_style_end: .byte 0\n"
    ".global flametap_viewer_script_begin, flametap_viewer_script_end\n"
    ".global flametap_viewer_style_begin, flametap_viewer_style_end\n"
    ".popsection\n");

extern "C" {
extern const char flametap_viewer_script_begin[];
extern const char flametap_viewer_script_end[];
extern const char flametap_viewer_style_begin[];
extern const char flametap_viewer_style_end[];
}

namespace flametap::viewer {
namespace {

constexpr std::array<std::string_view, 2> kHashes = {
#include <bundle_hashes.inc>
};

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

Bundle bundle() {
  return {.script = {between(flametap_viewer_script_begin, flametap_viewer_script_end), kHashes[0]},
          .style = {between(flametap_viewer_style_begin, flametap_viewer_style_end), kHashes[1]}};
}

}  // namespace flametap::viewer

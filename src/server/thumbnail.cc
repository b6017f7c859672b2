#include "server/thumbnail.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/origin.h"
#include "profile/tree.h"

namespace flametap::server {
namespace {

constexpr std::uint64_t kWidth = 240;
constexpr std::uint32_t kRows = 12;
constexpr std::uint64_t kRowHeight = 6;
constexpr std::size_t kMaxBoxes = 500;

// Those of the page that shows the profile, where they are light: a test of web/src/view/palette.ts compares them.
std::string_view colour(profile::Origin origin) {
  switch (origin) {
    case profile::Origin::own:
      return "#faba4c";
    case profile::Origin::library:
      return "#78c0ed";
    case profile::Origin::standard_library:
      return "#84cdb7";
    case profile::Origin::native:
    case profile::Origin::inlined:
      return "#dfa4ca";
    case profile::Origin::kernel:
      return "#adb5cd";
    case profile::Origin::marker:
      break;
  }
  return "#d2cebc";
}

void append_box(std::uint64_t x, std::uint64_t y, std::uint64_t width, std::string_view fill, std::string& svg) {
  svg += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" + std::to_string(width) +
         "\" height=\"" + std::to_string(kRowHeight - 1) + "\" fill=\"" + std::string(fill) + "\"/>";
}

}  // namespace

std::string thumbnail(const profile::Profile& profile) {
  const profile::Tree tree = profile::tree_of(profile);
  const auto weight = [&](const profile::Weight& of) { return tree.total.ns > 0 ? of.ns : of.ticks; };
  const auto total = static_cast<double>(weight(tree.total));
  const auto place = [&](std::uint64_t at) {
    return static_cast<std::uint64_t>(static_cast<double>(at) / total * static_cast<double>(kWidth));
  };
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(kWidth) + " " +
                    std::to_string(kRows * kRowHeight) + "\">";
  // Where the next node of each depth begins: a node comes before its children, and moves its own depth on.
  std::array<std::uint64_t, kRows + 1> next{};
  std::size_t boxes = 0;
  for (const profile::Node& node : tree.nodes) {
    if (node.depth >= kRows) continue;
    const std::uint64_t start = next[node.depth];
    next[node.depth] = start + weight(node.total);
    next[node.depth + 1] = start;
    const std::uint64_t x = place(start);
    const std::uint64_t width = place(next[node.depth]) - x;
    if (width == 0 || boxes++ >= kMaxBoxes) continue;
    const profile::Function& function = profile.function(profile.frame(node.frame).function);
    append_box(x, node.depth * kRowHeight, width, colour(profile::origin_of(profile, function)), svg);
  }
  return svg + "</svg>\n";
}

}  // namespace flametap::server

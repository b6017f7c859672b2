#include "format/svg.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/markup.h"
#include "format/svg_assets.h"
#include "format/text.h"
#include "profile/origin.h"
#include "profile/tree.h"

namespace flametap::format {
namespace {

using profile::Origin;
using profile::Profile;
using profile::Weight;

// Places across are in percent of the window and sizes of text in pixels, so the picture fits any width and its words
// stay readable. A frame is an svg element of its own because that clips its name, script or not.
constexpr int kRow = 18;
constexpr int kFrameHeight = 17;
constexpr int kGraphTop = 104;
constexpr int kFooterHeight = 60;
constexpr double kMinWidth = 0.1 / 1200;       // of the whole: a tenth of a pixel in a usual window
constexpr double kMinNamedWidth = 7.0 / 1200;  // below, no name fits; the script adds it when zoomed
constexpr double kThinWidth = 3.0 / 1200;      // below, an edge would hide the frame

struct Kind {
  std::string_view css;
  std::string_view words;
  int legend_width;
};

// In the order of Origin.
constexpr std::array<Kind, 7> kKinds = {{
    {"own", "own code", 78},
    {"lib", "library", 66},
    {"std", "standard library", 116},
    {"mark", "marker", 60},
    {"nat", "native", 58},
    {"inl", "inlined", 66},
    {"ker", "kernel", 60},
}};

std::string escaped(std::string_view text) { return escaped_markup(clean(text)); }

// The same name always has the same of the three shades, in every picture: FNV-1a, which no library will change.
unsigned shade(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash >> 8) % 3;
}

// One frame as it is drawn.
struct Box {
  std::string_view name;
  std::string_view file;
  std::string_view module;
  std::int32_t line;
  Origin origin;
  std::uint32_t row;
  std::uint64_t start;  // in the unit of the picture
  Weight self;
  Weight total;
};

class SvgWriter {
 public:
  explicit SvgWriter(const Profile& profile)
      : profile_(profile), tree_(tree_of(profile)), timed_(tree_.total.ns > 0), whole_(size(tree_.total)) {}

  std::string write() && {
    const std::uint32_t rows = tree_.depth + 1 + (tree_.depth == 0 && tree_.empty.ticks > 0 ? 1 : 0);
    const std::uint64_t graph_height = std::uint64_t{rows} * kRow;
    const std::uint64_t footer_top = kGraphTop + graph_height;
    write_head(footer_top + kFooterHeight);
    append("<svg class=\"graph\" x=\"0.8%\" y=\"{}\" width=\"98.4%\" height=\"{}\">\n", kGraphTop, graph_height);
    write_boxes();
    append("</svg>\n");
    write_footer(footer_top);
    append("<script><![CDATA[\n{}]]></script>\n</svg>\n", kSvgScript);
    return std::move(out_);
  }

 private:
  template <typename... Values>
  void append(fmt::format_string<Values...> pattern, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), pattern, std::forward<Values>(values)...);
  }

  std::uint64_t size(const Weight& weight) const { return timed_ ? weight.ns : weight.ticks; }

  double share(std::uint64_t part) const {
    return whole_ == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole_);
  }

  void write_head(std::uint64_t height) {
    const std::string command = command_text(profile_);
    const std::string title = command.empty() ? "Flame graph" : command;
    append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"{}\">\n", height);
    append("<title>{}</title>\n<style>\n{}</style>\n", escaped(title), kSvgStyle);
    append("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    append("<svg x=\"0.8%\" y=\"0\" width=\"98.4%\" height=\"{}\">\n", kGraphTop);
    append("<text class=\"title\" y=\"30\">{}</text>\n", escaped(title));
    append("<text class=\"facts\" y=\"51\">{}</text>\n", escaped(recording_text(profile_)));
    append("<text class=\"facts\" y=\"68\">{}</text>\n", escaped(quality_text(profile_)));
    write_legend();
    append("</svg>\n");
  }

  // Only of what is in the picture.
  void write_legend() {
    std::array<bool, kKinds.size()> there{};
    there[static_cast<std::size_t>(Origin::marker)] = tree_.empty.ticks > 0;
    for (const profile::Node& node : tree_.nodes) {
      if (share(size(node.total)) >= kMinWidth) there[static_cast<std::size_t>(origin_of(node.frame))] = true;
    }
    append("<g class=\"legend\">");
    int x = 0;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (!there[i]) continue;
      const Kind& kind = kKinds[i];
      append("<rect class=\"{}0\" x=\"{}\" y=\"81\" width=\"12\" height=\"12\" rx=\"2.5\"/>", kind.css, x);
      append("<text x=\"{}\" y=\"91\">{}</text>", x + 17, kind.words);
      x += kind.legend_width + 10;
    }
    append("</g>\n");
  }

  Origin origin_of(profile::FrameId frame) const {
    return profile::origin_of(profile_, profile_.function(profile_.frame(frame).function));
  }

  void write_boxes() {
    const Weight self_of_all{};
    write_box({"all", "", "", 0, Origin::marker, 0, 0, self_of_all, tree_.total});
    std::vector<std::uint64_t> next(tree_.depth + 2, 0);  // per depth, where the next frame begins
    for (const profile::Node& node : tree_.nodes) {
      const std::uint64_t start = next[node.depth];
      next[node.depth] = start + size(node.total);
      next[node.depth + 1] = start;
      const profile::Frame& frame = profile_.frame(node.frame);
      const std::string_view module = profile_.text(profile_.function(frame.function).module);
      write_box({profile_.name(node.frame), profile_.file(node.frame), module, frame.line, origin_of(node.frame),
                 node.depth + 1, start, node.self, node.total});
    }
    if (tree_.empty.ticks > 0) {
      write_box({kNoFrames, "", "", 0, Origin::marker, 1, next[0], tree_.empty, tree_.empty});
    }
  }

  void write_box(const Box& box) {
    const double width = share(size(box.total));
    if (width < kMinWidth) {
      ++left_out_;
      return;
    }
    const Kind& kind = kKinds[static_cast<std::size_t>(box.origin)];
    append("<svg class=\"f {}{}{}\" x=\"{:.9g}%\" y=\"{}\" width=\"{:.9g}%\" height=\"{}\">", kind.css, shade(box.name),
           width < kThinWidth ? " thin" : "", 100 * share(box.start), box.row * kRow, 100 * width, kFrameHeight);
    append("<title>{}</title><rect width=\"100%\" height=\"100%\" rx=\"2\"/>", tooltip(box));
    if (width >= kMinNamedWidth) append("<text x=\"4\" y=\"13\">{}</text>", escaped(label(box)));
    append("</svg>\n");
  }

  static std::string place(const Box& box, std::string_view file) {
    if (file.empty() || box.line <= 0) return std::string(file);
    return fmt::format("{}:{}", file, box.line);
  }

  static std::string label(const Box& box) {
    const std::string where = place(box, base_name(box.file));
    if (where.empty()) return std::string(box.name);
    return fmt::format("{} ({})", box.name, where);
  }

  // Where it is, in full: the source, and what it was compiled into.
  static std::string full_place(const Box& box) {
    std::string text = place(box, box.file);
    if (!box.module.empty() && box.module != box.file) text.append(text.empty() ? "" : " · ").append(box.module);
    if (box.origin == Origin::inlined) text.append(text.empty() ? "" : " · ").append("inlined");
    return text;
  }

  // Three lines: name, place, numbers. The script takes them apart again.
  std::string tooltip(const Box& box) const {
    std::string numbers = human_share(share(size(box.total)));
    if (timed_) numbers += " · " + human_time(box.total.ns);
    numbers += " · " + with_commas(box.total.ticks) + (box.total.ticks == 1 ? " sample" : " samples");
    if (box.self != Weight{}) numbers += " · self " + human_share(share(size(box.self)));
    return escaped(box.name) + "\n" + escaped(full_place(box)) + "\n" + numbers;
  }

  void write_footer(std::uint64_t top) {
    append(
        "<g class=\"footer\" data-y=\"{0}\" data-left-out=\"{2}\" transform=\"translate(0 {0})\"><svg x=\"0.8%\" "
        "width=\"98.4%\" "
        "height=\"{1}\">\n",
        top, kFooterHeight, left_out_);
    append("<text class=\"note\" y=\"17\">Wider means more {}. Callers stand above what they call.</text>\n",
           timed_ ? "time" : "samples");
    append("<text class=\"note\" y=\"33\">Made by {}</text>\n", exporter());
    if (left_out_ > 0) {
      append("<text class=\"note\" y=\"49\">{} {} under 0.1 px (at a width of 1200) {} not drawn.</text>\n",
             with_commas(left_out_), left_out_ == 1 ? "frame" : "frames", left_out_ == 1 ? "is" : "are");
    }
    append("</svg></g>\n");
  }

  const Profile& profile_;
  profile::Tree tree_;
  bool timed_;
  std::uint64_t whole_;
  std::uint64_t left_out_ = 0;
  std::string out_;
};

}  // namespace

std::string write_svg(const Profile& profile) { return SvgWriter(profile).write(); }

}  // namespace flametap::format

#include "cli/hottest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cli/text_width.h"
#include "format/text.h"
#include "profile/top.h"

namespace flametap::cli {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// Time where it is known, else ticks: the samples of a file of another tool have no time.
class Measure {
 public:
  explicit Measure(const profile::Profile& profile)
      : timed_(profile.total_weight_ns() > 0), whole_(timed_ ? profile.total_weight_ns() : profile.total_ticks()) {}

  [[nodiscard]] double share(const profile::Weight& weight) const {
    return percent(timed_ ? weight.ns : weight.ticks, whole_);
  }
  [[nodiscard]] std::string amount(const profile::Weight& weight) const {
    return timed_ ? format::human_time(weight.ns) : format::with_commas(weight.ticks);
  }

 private:
  bool timed_;
  std::uint64_t whole_;
};

std::string name_of(const profile::Profile& profile, profile::FunctionId id) {
  return format::without_middle(format::clean(profile.text(profile.function(id).name)));
}

std::string file_of(const profile::Profile& profile, profile::FunctionId id) {
  return format::without_middle(format::place_text(profile, profile.function(id)));
}

std::vector<profile::Hot> hottest(const profile::Profile& profile, std::size_t limit) {
  std::vector<profile::Hot> hot = profile::top(profile);
  hot.resize(std::min(hot.size(), limit));
  return hot;
}

}  // namespace

std::string hottest_table(const profile::Profile& profile, std::size_t limit, Columns columns) {
  constexpr std::size_t kNumbers = 41;  // the width of all other columns, with the blanks between them
  const Measure measure(profile);
  const std::vector<profile::Hot> rows = hottest(profile, limit);
  NameWidths wanted{8, 4};
  for (const profile::Hot& row : rows) {
    wanted.name = std::max(wanted.name, width(name_of(profile, row.function)));
    wanted.place = std::max(wanted.place, width(file_of(profile, row.function)));
  }
  const NameWidths fitting = fit_names(columns, kNumbers, wanted);
  // Without a terminal a single long name moves its own file only.
  const std::size_t column = columns ? fitting.name : std::min<std::size_t>(fitting.name, 40);
  std::string text = fmt::format("{:>9} {:>8} {:>9} {:>8}  {:<{}}  {}\n", "self", "self %", "total", "total %",
                                 "function", column, "file");
  for (const profile::Hot& row : rows) {
    const std::string name = format::without_middle(name_of(profile, row.function), fitting.name);
    std::string line =
        fmt::format("{:>9} {:>8.2f} {:>9} {:>8.2f}  {}  {}", measure.amount(row.self), measure.share(row.self),
                    measure.amount(row.total), measure.share(row.total), padded(name, column),
                    format::without_middle(file_of(profile, row.function), fitting.place));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string hottest_lines(const profile::Profile& profile, std::size_t limit) {
  const Measure measure(profile);
  std::string text;
  for (const profile::Hot& row : hottest(profile, limit)) {
    const double share = measure.share(row.self);
    if (share <= 0) break;
    const std::string file = file_of(profile, row.function);
    text += fmt::format("  {:6.2f} %  {}{}\n", share, name_of(profile, row.function),
                        file.empty() ? "" : " (" + file + ")");
  }
  return text;
}

}  // namespace flametap::cli

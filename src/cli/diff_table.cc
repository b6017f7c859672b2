#include "cli/diff_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/text_width.h"
#include "format/text.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kWidestName = 40;

std::string columns(double before, double after) {
  return fmt::format("{:>8.2f} {:>8.2f} {:>+8.2f}", 100 * before, 100 * after, 100 * (after - before));
}

}  // namespace

std::string diff_table(const profile::Difference& difference, std::size_t limit, Columns columns_there) {
  constexpr std::size_t kNumbers = 58;  // the width of all other columns, with the blanks between them
  const profile::Profile& functions = difference.functions;
  const std::size_t count = std::min(difference.changes.size(), limit);
  if (count == 0) return "no function's share of the time changed\n";
  std::vector<std::pair<std::string, std::string>> names;  // each with its place
  NameWidths wanted{8, 4};
  for (std::size_t i = 0; i < count; ++i) {
    const profile::Function& function = functions.function(difference.changes[i].function);
    names.emplace_back(format::without_middle(format::clean(functions.text(function.name))),
                       format::without_middle(format::place_text(functions, function)));
    wanted.name = std::max(wanted.name, width(names.back().first));
    wanted.place = std::max(wanted.place, width(names.back().second));
  }
  const NameWidths fitting = fit_names(columns_there, kNumbers, wanted);
  const std::size_t column = columns_there ? fitting.name : std::min(fitting.name, kWidestName);
  std::string text = fmt::format("{:>8}{:27}{:>8}\n", "self %", "", "total %");
  text += fmt::format("{0:>8} {1:>8} {2:>8}  {0:>8} {1:>8} {2:>8}  {3:<{4}}  {5}\n", "before", "after", "change",
                      "function", column, "file");
  for (std::size_t i = 0; i < count; ++i) {
    const profile::Change& change = difference.changes[i];
    std::string line = fmt::format("{}  {}  {}  {}", columns(change.before.self, change.after.self),
                                   columns(change.before.total, change.after.total),
                                   padded(format::without_middle(names[i].first, fitting.name), column),
                                   format::without_middle(names[i].second, fitting.place));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace flametap::cli

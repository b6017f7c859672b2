#include "profile/diff.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "profile/tree.h"

namespace flametap::profile {
namespace {

std::size_t index(FunctionId id) { return static_cast<std::size_t>(id); }

// By id in `from`: the same functions in `to`, without lines.
std::vector<FunctionId> copy_functions(const Profile& from, Profile& to) {
  std::vector<FunctionId> copies;
  copies.reserve(from.function_count());
  for (std::size_t i = 0; i < from.function_count(); ++i) {
    const Function& function = from.function(FunctionId(i));
    copies.push_back(to.intern(Function{to.intern(from.text(function.name)), to.intern(from.text(function.file)), 0,
                                        function.kind, to.intern(from.text(function.module))}));
  }
  return copies;
}

// The share of every function, by its id in `copies`.
std::vector<Share> shares(const Profile& profile, const std::vector<FunctionId>& copies, std::size_t functions,
                          bool by_time) {
  std::vector<Share> result(functions);
  const Tree tree = tree_of(profile);
  const auto amount = [&](const Weight& weight) { return static_cast<double>(by_time ? weight.ns : weight.ticks); };
  const double whole = amount(tree.total);
  if (whole == 0) return result;
  std::vector<std::uint32_t> on_path(functions);  // how often each stands between the root and here
  std::vector<FunctionId> path;
  for (const Node& node : tree.nodes) {
    for (; path.size() > node.depth; path.pop_back()) --on_path[index(path.back())];
    const FunctionId function = copies[index(profile.frame(node.frame).function)];
    Share& share = result[index(function)];
    share.self += amount(node.self) / whole;
    if (on_path[index(function)]++ == 0) share.total += amount(node.total) / whole;
    path.push_back(function);
  }
  return result;
}

double step(double before, double after) {
  // Sums of the same parts in another order differ in their last bits.
  constexpr double kNoise = 1e-9;
  const double change = std::abs(after - before);
  return change < kNoise ? 0 : change;
}

bool larger(const Profile& functions, const Change& a, const Change& b) {
  const auto size = [](const Change& change) {
    return std::tuple(step(change.before.self, change.after.self), step(change.before.total, change.after.total));
  };
  if (size(a) != size(b)) return size(a) > size(b);
  const auto key = [&](const Change& change) {
    const Function& function = functions.function(change.function);
    return std::tuple(functions.text(function.name), functions.text(function.file), function.kind,
                      functions.text(function.module));
  };
  return key(a) < key(b);
}

}  // namespace

Difference difference(const Profile& before, const Profile& after, Measures common) {
  Difference result;
  const std::vector<FunctionId> of_before = copy_functions(before, result.functions);
  const std::vector<FunctionId> of_after = copy_functions(after, result.functions);
  const std::size_t functions = result.functions.function_count();
  const std::vector<Share> old_shares = shares(before, of_before, functions, common.time);
  const std::vector<Share> new_shares = shares(after, of_after, functions, common.time);
  for (std::size_t i = 0; i < functions; ++i) {
    const Change change{FunctionId(i), old_shares[i], new_shares[i]};
    if (step(change.before.self, change.after.self) > 0 || step(change.before.total, change.after.total) > 0)
      result.changes.push_back(change);
  }
  std::sort(result.changes.begin(), result.changes.end(),
            [&](const Change& a, const Change& b) { return larger(result.functions, a, b); });
  return result;
}

}  // namespace flametap::profile

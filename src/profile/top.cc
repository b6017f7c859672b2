#include "profile/top.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace flametap::profile {
namespace {

bool hotter(const Profile& profile, const Hot& a, const Hot& b) {
  const auto heat = [](const Hot& hot) {
    return std::tuple(hot.self.ns, hot.self.ticks, hot.total.ns, hot.total.ticks);
  };
  if (heat(a) != heat(b)) return heat(a) > heat(b);
  const auto key = [&](const Hot& hot) {
    const Function& function = profile.function(hot.function);
    return std::tuple(profile.text(function.name), profile.text(function.file), function.first_line, function.kind,
                      profile.text(function.module));
  };
  return key(a) < key(b);
}

}  // namespace

std::vector<Hot> top(const Profile& profile) {
  std::vector<Hot> hot(profile.function_count());
  for (std::size_t i = 0; i < hot.size(); ++i) hot[i].function = FunctionId(i);

  std::vector<std::uint32_t> on_path(profile.function_count());  // how often each stands between the root and here
  std::vector<FunctionId> path;
  for (const Node& node : tree_of(profile).nodes) {
    for (; path.size() > node.depth; path.pop_back()) --on_path[static_cast<std::size_t>(path.back())];
    const FunctionId function = profile.frame(node.frame).function;
    Hot& entry = hot[static_cast<std::size_t>(function)];
    entry.self += node.self;
    if (on_path[static_cast<std::size_t>(function)]++ == 0) entry.total += node.total;
    path.push_back(function);
  }
  std::erase_if(hot, [](const Hot& entry) { return entry.total == Weight{}; });
  std::sort(hot.begin(), hot.end(), [&](const Hot& a, const Hot& b) { return hotter(profile, a, b); });
  return hot;
}

}  // namespace flametap::profile

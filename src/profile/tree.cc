#include "profile/tree.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace flametap::profile {
namespace {

std::size_t index(StackId id) { return static_cast<std::size_t>(id); }

std::vector<Weight> self_weights(const Profile& profile) {
  std::vector<Weight> self(profile.stack_count());
  for (const Sample& sample : profile.samples()) self[index(sample.stack)] += {sample.ticks, sample.weight_ns};
  return self;
}

// A parent's number is smaller than its children's, so one pass backwards sums up the whole tree.
std::vector<Weight> total_weights(const Profile& profile, const std::vector<Weight>& self) {
  std::vector<Weight> total = self;
  for (std::size_t i = total.size() - 1; i > 0; --i) total[index(profile.stack(StackId(i)).parent)] += total[i];
  return total;
}

// The stacks that have samples, those of one parent side by side and in the order of their names.
std::vector<StackId> by_parent_and_name(const Profile& profile, const std::vector<Weight>& total) {
  const std::vector<std::uint32_t> ranks = ranks_by_name(profile);
  std::vector<std::pair<std::uint64_t, StackId>> keyed;  // parent and rank in one number: a million sort quickly
  for (std::size_t i = 1; i < total.size(); ++i) {
    if (total[i] == Weight{}) continue;
    const Stack& stack = profile.stack(StackId(i));
    const std::uint64_t rank = ranks[static_cast<std::size_t>(stack.frame)];
    keyed.emplace_back(static_cast<std::uint64_t>(stack.parent) << 32 | rank, StackId(i));
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<StackId> order;
  order.reserve(keyed.size());
  for (const auto& [key, stack] : keyed) order.push_back(stack);
  return order;
}

}  // namespace

std::vector<std::uint32_t> ranks_by_name(const Profile& profile) {
  std::vector<FrameId> order(profile.frame_count());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = FrameId(i);
  const auto key = [&](FrameId id) {
    const Function& function = profile.function(profile.frame(id).function);
    return std::tuple(profile.name(id), profile.file(id), profile.frame(id).line, function.first_line, function.kind,
                      profile.text(function.module));
  };
  std::sort(order.begin(), order.end(), [&](FrameId a, FrameId b) { return key(a) < key(b); });
  std::vector<std::uint32_t> ranks(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[static_cast<std::size_t>(order[i])] = std::uint32_t(i);
  return ranks;
}

Tree tree_of(const Profile& profile) {
  const std::vector<Weight> self = self_weights(profile);
  const std::vector<Weight> total = total_weights(profile, self);
  const std::vector<StackId> order = by_parent_and_name(profile, total);
  std::vector<std::size_t> first_child(total.size() + 1, order.size());
  for (std::size_t i = order.size(); i-- > 0;) first_child[index(profile.stack(order[i]).parent)] = i;

  Tree tree{.nodes = {}, .total = total[0], .empty = self[0], .depth = 0};
  tree.nodes.reserve(order.size());
  struct Pending {
    StackId stack;
    std::uint32_t depth;
  };
  std::vector<Pending> pending;  // instead of recursion: a stack may be deeper than ours
  const auto push_children = [&](StackId parent, std::uint32_t depth) {
    const std::size_t mark = pending.size();
    for (std::size_t i = first_child[index(parent)]; i < order.size(); ++i) {
      if (profile.stack(order[i]).parent != parent) break;
      pending.push_back({order[i], depth});
    }
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(mark), pending.end());
  };
  push_children(kEmptyStack, 0);
  while (!pending.empty()) {
    const auto [stack, depth] = pending.back();
    pending.pop_back();
    tree.nodes.push_back({profile.stack(stack).frame, depth, self[index(stack)], total[index(stack)]});
    tree.depth = std::max(tree.depth, depth + 1);
    push_children(stack, depth + 1);
  }
  return tree;
}

}  // namespace flametap::profile

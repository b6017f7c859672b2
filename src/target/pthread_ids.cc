#include "target/pthread_ids.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "base/bytes.h"

namespace flametap::target {
namespace {

constexpr std::size_t kDescriptorSize = 1024;  // its beginning; glibc has the id at 720, musl at 48
using Descriptor = std::array<std::byte, kDescriptorSize>;

struct Candidate {
  std::uint64_t address;
  Descriptor bytes;
};

// The offset at which the most descriptors hold an id of this process, each its own.
std::optional<std::size_t> place_of_id(const std::vector<Candidate>& candidates, std::span<const pid_t> tids) {
  std::optional<std::size_t> best;
  std::size_t best_count = 0;
  for (std::size_t offset = 0; offset < kDescriptorSize; offset += sizeof(pid_t)) {
    std::vector<pid_t> found;
    for (const Candidate& candidate : candidates) {
      const auto id = load<pid_t>(candidate.bytes, offset);
      if (id && std::ranges::find(tids, *id) != tids.end()) found.push_back(*id);
    }
    std::ranges::sort(found);
    const bool distinct = std::ranges::adjacent_find(found) == found.end();
    if (distinct && found.size() > best_count) {
      best = offset;
      best_count = found.size();
    }
  }
  return best;
}

}  // namespace

std::map<std::uint64_t, PthreadId> kernel_ids(Memory& memory, std::span<const std::uint64_t> descriptors,
                                              std::span<const pid_t> inner_tids) {
  std::map<std::uint64_t, PthreadId> ids;
  std::vector<Candidate> candidates;
  // Several interpreters may have a thread state each for one thread.
  std::set<std::uint64_t> distinct(descriptors.begin(), descriptors.end());
  for (const std::uint64_t address : distinct) {
    Candidate candidate{address, {}};
    if (memory.read(Address{address}, candidate.bytes) == ReadStatus::ok) candidates.push_back(candidate);
  }
  const auto place = place_of_id(candidates, inner_tids);
  if (!place) return ids;
  for (const Candidate& candidate : candidates) {
    const auto id = load<pid_t>(candidate.bytes, *place);
    if (!id || std::ranges::find(inner_tids, *id) == inner_tids.end()) continue;
    ids[candidate.address] = {*id, Address{candidate.address} + *place};
  }
  return ids;
}

}  // namespace flametap::target

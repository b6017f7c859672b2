#include "native/address_space.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace flametap::native {
namespace {

// How far below its last known begin the main thread's stack may have grown: the largest limit that is in use.
constexpr std::uint64_t kMaxStackGrowth = std::uint64_t{1} << 30;

constexpr Nanoseconds kCalm = 1'000'000'000;

std::vector<target::Mapping> executable_mappings(const target::Maps& maps) {
  std::vector<target::Mapping> executable;
  std::copy_if(maps.begin(), maps.end(), std::back_inserter(executable),
               [](const target::Mapping& mapping) { return mapping.executable; });
  return executable;
}

}  // namespace

Result<AddressSpace> AddressSpace::open(const target::Process& process, target::Memory& memory, BinaryCache& binaries) {
  Result<target::Maps> maps = process.maps();
  if (!maps) return maps.error().within("cannot list the process's memory");
  AddressSpace space(process, memory, binaries, std::move(*maps));
  space.list_executable();
  return space;
}

AddressSpace::AddressSpace(const target::Process& process, target::Memory& memory, BinaryCache& binaries,
                           target::Maps maps)
    : process_(&process),
      memory_(&memory),
      binaries_(&binaries),
      maps_(std::move(maps)),
      executable_(executable_mappings(maps_)),
      last_reading_(monotonic_now()) {}

void AddressSpace::list_executable() {
  generation_ = binaries_->next_generation();
  modules_.clear();
  regions_.clear();
  Result<std::vector<target::Module>> modules = target::Module::list(*process_, *memory_);
  if (modules) {
    for (target::Module& module : *modules) modules_.push_back({.module = std::move(module)});
  }
  for (const target::Mapping& mapping : executable_) {
    regions_.push_back({mapping.begin, mapping.end, find_module(mapping)});
  }
}

std::size_t AddressSpace::find_module(const target::Mapping& mapping) const {
  const auto found = std::find_if(modules_.begin(), modules_.end(), [&](const Loaded& loaded) {
    const std::vector<target::Mapping>& own = loaded.module.mappings();
    return loaded.module.contains(mapping.begin) && own.front().file == mapping.file &&
           own.front().path == mapping.path;
  });
  return found == modules_.end() ? kNoModule : static_cast<std::size_t>(found - modules_.begin());
}

bool AddressSpace::refresh() {
  last_reading_ = monotonic_now();
  stack_missed_ = false;
  Result<target::Maps> maps = process_->maps();
  if (!maps || maps->empty()) return false;
  maps_ = std::move(*maps);
  std::vector<target::Mapping> executable = executable_mappings(maps_);
  if (executable == executable_) return false;
  executable_ = std::move(executable);
  list_executable();
  return true;
}

// A program that starts or imports has new libraries for a moment; a just-in-time compiler makes new code all the time.
void AddressSpace::refresh_if_due() {
  const Nanoseconds now = monotonic_now();
  if (now - std::exchange(last_miss_, now) > kCalm) interval_ = kMinInterval;
  if (now - last_reading_ < interval_) return;
  interval_ = std::min(2 * interval_, kMaxInterval);
  refresh();
}

const AddressSpace::Region* AddressSpace::find_region(target::Address pc) const {
  const auto after =
      std::upper_bound(regions_.begin(), regions_.end(), pc,
                       [](target::Address wanted, const Region& region) { return wanted < region.begin; });
  if (after == regions_.begin() || pc >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

AddressSpace::Place AddressSpace::find(target::Address pc) {
  if (stack_missed_) refresh_if_due();
  const Region* region = find_region(pc);
  if (region == nullptr) {
    refresh_if_due();
    region = find_region(pc);
  }
  if (region == nullptr) return {};
  if (region->module == kNoModule) return {.kind = Place::Kind::anonymous};
  Loaded& loaded = modules_[region->module];
  if (!std::exchange(loaded.asked, true)) loaded.binary = binaries_->find(loaded.module, *memory_);
  const std::uint64_t link_address = to_number(pc) - static_cast<std::uint64_t>(loaded.module.bias());
  return {Place::Kind::binary, loaded.binary.get(), target::LinkAddress{link_address}};
}

target::Address AddressSpace::stack_end(target::Address stack_pointer) {
  const auto after =
      std::upper_bound(maps_.begin(), maps_.end(), stack_pointer,
                       [](target::Address wanted, const target::Mapping& mapping) { return wanted < mapping.end; });
  if (after != maps_.end()) {
    if (after->begin <= stack_pointer && after->readable) return after->end;
    const std::uint64_t below = to_number(after->begin) - to_number(stack_pointer);
    if (after->path == "[stack]" && below <= kMaxStackGrowth) return after->end;
  }
  stack_missed_ = true;
  return target::kNull;
}

Bytes AddressSpace::read_code(target::Address pc, std::span<std::byte> buffer) const {
  const Region* const region = find_region(pc);
  if (region == nullptr) return {};
  const std::uint64_t left = to_number(region->end) - to_number(pc);
  const std::span<std::byte> wanted = buffer.first(std::min<std::uint64_t>(buffer.size(), left));
  return memory_->read(pc, wanted) == target::ReadStatus::ok ? Bytes(wanted) : Bytes();
}

}  // namespace flametap::native

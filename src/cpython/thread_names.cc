#include "cpython/thread_names.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cpython/dict_reader.h"
#include "cpython/object_type.h"
#include "cpython/text.h"
#include "target/page_cache.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

// The target runs on: what changed under our hands is read again, but not for ever.
constexpr int kMaxPasses = 4;
// Modules and threads of all interpreters that one pass looks at.
constexpr std::size_t kMaxItems = std::size_t{1} << 18;
// A thread that is renamed again and again has the same name each time that it gets the same memory. Between two such
// times the memory is something else's; and if our readings beat with its loop, that is what they find each time. So
// there are several, at random distances.
constexpr int kLooks = 5;
constexpr Nanoseconds kLongestSpin = 3'000;
constexpr std::size_t kConfirmedTogether = 16;  // few calls, and each of them is short

// Stretches of memory on which a name rests, and what stood there when it was found.
class Witnesses {
 public:
  void add(const Trail& trail) {
    for (const Step& step : trail) {
      const auto bytes = std::as_bytes(std::span(&step.pointer, 1));
      stretches_.push_back({step.place, bytes.size()});
      expected_.insert(expected_.end(), bytes.begin(), bytes.end());
    }
  }
  // False: cannot be read.
  [[nodiscard]] bool add(Memory& memory, Address from, std::uint64_t length) {
    const std::size_t before = expected_.size();
    expected_.resize(before + length);
    if (length > 0 && memory.read(from, std::span(expected_).subspan(before)) != ReadStatus::ok) return false;
    stretches_.push_back({from, length});
    return true;
  }

  // For one call that reads all of them twice: a pointer that is the same before and after what it leads to was read
  // led there all the time, unless the target changed it to and fro meanwhile.
  void ask(std::vector<target::Segment>& segments) {
    found_.resize(2 * expected_.size());
    std::span<std::byte> rest = found_;
    for (int i = 0; i < 2; ++i) {
      for (const Stretch& stretch : stretches_) {
        segments.push_back({stretch.from, rest.first(stretch.length)});
        rest = rest.subspan(stretch.length);
      }
    }
  }
  // Whether that call found what is expected.
  [[nodiscard]] bool stood() const {
    const auto half = static_cast<std::ptrdiff_t>(expected_.size());
    return std::equal(found_.begin(), found_.begin() + half, expected_.begin()) &&
           std::equal(found_.begin() + half, found_.end(), expected_.begin());
  }

 private:
  struct Stretch {
    Address from;
    std::size_t length;
  };
  std::vector<Stretch> stretches_;
  std::vector<std::byte> expected_;
  std::vector<std::byte> found_;
};

struct Claim {
  std::uint64_t ident;
  std::string name;
  Witnesses witnesses;
};

// Drops those whose witnesses do not stand.
void look_again(Memory& memory, std::vector<Claim>& claims) {
  std::vector<target::Segment> segments;
  for (Claim& claim : claims) claim.witnesses.ask(segments);
  if (memory.read(segments)) {
    std::erase_if(claims, [](const Claim& claim) { return !claim.witnesses.stood(); });
    return;
  }
  // Something is gone: each by itself, so that the others do not suffer for it.
  std::vector<Claim> standing;
  for (Claim& claim : claims) {
    segments.clear();
    claim.witnesses.ask(segments);
    if (memory.read(segments) && claim.witnesses.stood()) standing.push_back(std::move(claim));
  }
  claims = std::move(standing);
}

// One reading of all names that are not known yet.
class Pass {
 public:
  Pass(Memory& memory, const Layout& layout, const ThreadList& list, ThreadNames& names)
      : memory_(memory), pages_(memory), layout_(layout), list_(list), names_(names) {}

  // False: some name could not be read; perhaps it changed meanwhile.
  bool read() {
    std::vector<std::size_t> oldest_first;
    for (std::size_t i = 0; i < list_.interpreters.size(); ++i) oldest_first.push_back(i);
    std::ranges::sort(oldest_first, {}, [&](std::size_t i) { return list_.interpreters[i].id; });
    bool calm = true;
    for (const std::size_t interpreter : oldest_first) calm = read_interpreter(interpreter) && calm;
    return calm;
  }

 private:
  bool read_interpreter(std::size_t interpreter) {
    std::unordered_set<std::uint64_t> idents;
    for (const PythonThread& thread : list_.threads) {
      if (thread.interpreter == interpreter) idents.insert(thread.ident);
    }
    bool calm = true;
    const DictContents active = active_threads(list_.interpreters[interpreter].state);
    std::vector<Claim> claims;
    for (const DictItem& item : active.items) {
      const auto ident = read_unsigned(pages_, layout_, item.key);
      if (!ident || idents.erase(*ident) == 0 || names_.contains(*ident) || !claimed_.insert(*ident).second) continue;
      Claim claim{*ident, {}, {}};
      claim.witnesses.add(active.trail);
      if (auto name = read_name(item, claim.witnesses)) {
        claim.name = std::move(*name);
        claims.push_back(std::move(claim));
      } else {
        calm = false;
      }
      if (claims.size() == kConfirmedTogether) calm = confirm(claims) && calm;
    }
    return confirm(claims) && calm;
  }

  // Keeps the names that stand each time. False: not all do.
  bool confirm(std::vector<Claim>& claims) {
    const std::size_t claimed = claims.size();
    for (int i = 0; i < kLooks && !claims.empty(); ++i) {
      spin_for(random_() % kLongestSpin);
      look_again(memory_, claims);
    }
    const bool all_stand = claims.size() == claimed;
    for (Claim& claim : claims) names_.emplace(claim.ident, std::move(claim.name));
    claims.clear();
    return all_stand;
  }

  std::optional<std::string> read_name(const DictItem& item, Witnesses& witnesses) {
    witnesses.add(Trail{{item.key_place, item.key}, {item.place, item.value}});
    if (!add_object(item.key, layout_.integer.digits + sizeof(std::uint64_t), witnesses)) return std::nullopt;
    const Attribute name = find_attribute(pages_, layout_, item.value, name_attribute());
    if (!is_instance(pages_, layout_, name.value, layout_.type_flag.text)) return std::nullopt;
    witnesses.add(name.trail);
    const Offset head = layout_.text_kind == TextKind::bytes ? layout_.bytes.data : layout_.text.ascii_data;
    const auto text = text_data(pages_, layout_, name.value);
    if (!text || !add_object(name.value, head, witnesses)) return std::nullopt;
    const std::uint64_t limit = std::uint64_t{kMaxCharacters} * text->character_width;
    if (!witnesses.add(pages_, text->data, std::min(text->bytes, limit))) return std::nullopt;
    return read_text(pages_, layout_, name.value);
  }

  // An object from its type on; the count of references before it changes all the time.
  bool add_object(Address object, Offset end, Witnesses& witnesses) {
    return witnesses.add(pages_, object + layout_.object.type, end - layout_.object.type);
  }

  // What threading._active holds. The dictionaries on the way have many keys all over the memory: one call for many
  // keys is cheaper than their pages.
  DictContents active_threads(Address interpreter) {
    Address modules = target::kNull;
    if (memory_.read_value(interpreter + layout_.interpreter.modules, modules) != ReadStatus::ok) return {};
    const DictContents all = affordable(modules);
    const DictItem* threading = find_item(memory_, layout_, all.items, "threading");
    if (threading == nullptr) return {};
    return affordable(find_attribute(memory_, layout_, threading->value, "_active").value);
  }

  DictContents affordable(Address dict) {
    DictContents contents = read_dict(memory_, layout_, dict);
    contents.items.resize(std::min(contents.items.size(), items_left_));
    items_left_ -= contents.items.size();
    return contents;
  }

  // 2.7, where names are bytes, still calls it __name, which the compiler spells out.
  [[nodiscard]] std::string_view name_attribute() const {
    return layout_.text_kind == TextKind::bytes ? "_Thread__name" : "_name";
  }

  Memory& memory_;
  target::PageCache pages_;
  const Layout& layout_;
  const ThreadList& list_;
  ThreadNames& names_;
  std::size_t items_left_ = kMaxItems;
  std::unordered_set<std::uint64_t> claimed_;  // idents that this interpreter knows, or an older one
  std::minstd_rand random_{static_cast<std::minstd_rand::result_type>(monotonic_now())};
};

}  // namespace

ThreadNames read_thread_names(Memory& memory, const Layout& layout, const ThreadList& list) {
  ThreadNames names;
  if (layout.interpreter.modules == kAbsent || layout.dict.keys == kAbsent) return names;
  for (int passes = 0; passes < kMaxPasses; ++passes) {
    if (Pass(memory, layout, list, names).read()) break;
  }
  return names;
}

}  // namespace flametap::cpython

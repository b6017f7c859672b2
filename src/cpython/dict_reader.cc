#include "cpython/dict_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "cpython/object_type.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

constexpr std::size_t kWord = 8;
// Keys that cannot be read are garbage; a table with many of them is no table.
constexpr std::size_t kMaxUnreadable = 64;
// How many keys are looked at with one call.
constexpr std::size_t kBatch = 256;
// No object has more attributes, no module of interest more names.
constexpr std::size_t kMaxAttributes = 4096;
// An object's dictionary is not further away from its start.
constexpr std::int64_t kMaxDictOffset = 1 << 20;

// The entries of a table: (hash, key, value), or (key, value) where all keys are text.
struct Entries {
  Address first = target::kNull;
  std::size_t count = 0;
  bool have_hash = true;
};

// Null if it cannot be read, too.
Address follow(Memory& memory, Address from, Trail& trail) {
  Address pointer = target::kNull;
  if (memory.read_value(from, pointer) != ReadStatus::ok) return target::kNull;
  trail.push_back({from, pointer});
  return pointer;
}

std::size_t index_width(std::uint64_t slots) { return slots <= 0xff ? 1 : slots <= 0xffff ? 2 : 4; }

std::optional<Entries> sized_entries(const Layout& layout, Address keys, Bytes head) {
  const auto slots = load<std::uint64_t>(head, layout.dict_keys.size);
  const auto count = load<std::uint64_t>(head, layout.dict_keys.entry_count);
  if (!slots || !count || !std::has_single_bit(*slots) || *slots > kMaxDictSlots || *count > *slots) {
    return std::nullopt;
  }
  return Entries{keys + layout.dict_keys.indices + *slots * index_width(*slots), *count, true};
}

std::optional<Entries> log_sized_entries(const Layout& layout, Address keys, Bytes head) {
  const auto log_slots = load<std::uint8_t>(head, layout.dict_keys.size);
  const auto log_index_bytes = load<std::uint8_t>(head, layout.dict_keys.index_bytes);
  const auto kind = load<std::uint8_t>(head, layout.dict_keys.kind);
  const auto count = load<std::uint64_t>(head, layout.dict_keys.entry_count);
  if (!log_slots || !log_index_bytes || !kind || !count) return std::nullopt;
  if (*log_slots >= 64 || std::uint64_t{1} << *log_slots > kMaxDictSlots) return std::nullopt;
  // An index has 1 to 8 bytes.
  if (*log_index_bytes < *log_slots || *log_index_bytes > *log_slots + 3) return std::nullopt;
  if (*count > std::uint64_t{1} << *log_slots) return std::nullopt;
  return Entries{keys + layout.dict_keys.indices + (std::uint64_t{1} << *log_index_bytes), *count, *kind == 0};
}

std::optional<Entries> find_entries(Memory& memory, const Layout& layout, Address keys) {
  std::vector<std::byte> head(layout.dict_keys.indices);
  if (keys == target::kNull || memory.read(keys, head) != ReadStatus::ok) return std::nullopt;
  return layout.dict_kind == DictKind::sized_keys ? sized_entries(layout, keys, head)
                                                  : log_sized_entries(layout, keys, head);
}

// 2.7: the table itself holds the entries, with gaps.
std::optional<Entries> open_entries(Memory& memory, const Layout& layout, Address dict, Trail& trail) {
  std::uint64_t mask = 0;
  if (memory.read_value(dict + layout.dict.mask, mask) != ReadStatus::ok) return std::nullopt;
  if (mask >= kMaxDictSlots || !std::has_single_bit(mask + 1)) return std::nullopt;
  return Entries{follow(memory, dict + layout.dict.keys, trail), mask + 1, true};
}

// The key and the value of each entry, empty ones too.
std::vector<DictItem> read_entries(Memory& memory, const Entries& entries) {
  const std::size_t skipped = entries.have_hash ? kWord : 0;
  const std::size_t width = skipped + 2 * kWord;
  std::vector<std::byte> bytes(entries.count * width);
  if (bytes.empty() || memory.read(entries.first, bytes) != ReadStatus::ok) return {};
  std::vector<DictItem> items;
  for (std::size_t at = skipped; at < bytes.size(); at += width) {
    const Address key_place = entries.first + at;
    items.push_back({Address{load<std::uint64_t>(bytes, at).value_or(0)},
                     Address{load<std::uint64_t>(bytes, at + kWord).value_or(0)}, key_place, key_place + kWord});
  }
  return items;
}

std::vector<DictItem> without_empty(std::vector<DictItem> items) {
  std::erase_if(items, [](const DictItem& item) { return item.key == target::kNull || item.value == target::kNull; });
  return items;
}

// Keys that several objects share, with the values of one of them.
std::vector<DictItem> read_shared(Memory& memory, const Layout& layout, Address keys, Address values) {
  auto entries = find_entries(memory, layout, keys);
  if (!entries) return {};
  if (layout.dict_values.capacity != kAbsent) {
    std::uint8_t capacity = 0;
    if (memory.read_value(values + layout.dict_values.capacity, capacity) != ReadStatus::ok) return {};
    entries->count = std::min<std::size_t>(entries->count, capacity);
  }
  std::vector<DictItem> items = read_entries(memory, *entries);
  std::vector<Address> pointers(items.size());
  const auto wanted = std::as_writable_bytes(std::span(pointers));
  const Address first = values + layout.dict_values.first;
  if (wanted.empty() || memory.read(first, wanted) != ReadStatus::ok) return {};
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].value = pointers[i];
    items[i].place = first + i * kWord;
  }
  return without_empty(std::move(items));
}

// The start of a str object that is exactly `text`, as it stands in memory; what it does not fix is left open.
class TextPattern {
 public:
  TextPattern(const Layout& layout, std::string_view text)
      : layout_(layout), text_(text), data_(is_bytes() ? layout.bytes.data : layout.text.ascii_data) {}

  [[nodiscard]] std::size_t size() const { return data_ + text_.size(); }
  [[nodiscard]] bool matches(Bytes object) const {
    const Offset length = is_bytes() ? layout_.bytes.length : layout_.text.length;
    return load<std::uint64_t>(object, length) == text_.size() && (is_bytes() || is_ascii(object)) &&
           std::memcmp(object.data() + data_, text_.data(), text_.size()) == 0;
  }

 private:
  [[nodiscard]] bool is_bytes() const { return layout_.text_kind == TextKind::bytes; }
  [[nodiscard]] bool is_ascii(Bytes object) const {
    constexpr std::uint32_t kCompactAscii = 1 | 1 << 3 | 1 << 4;  // one byte per character, then the two flags
    return (load<std::uint32_t>(object, layout_.text.state).value_or(0) >> layout_.text.kind_shift & 0x1f) ==
           kCompactAscii;
  }

  const Layout& layout_;
  std::string_view text_;
  std::size_t data_;
};

// Which keys of a batch match. A key that cannot be read does not.
std::vector<std::size_t> matches_in(Memory& memory, std::span<const DictItem> batch, const TextPattern& pattern,
                                    std::size_t& unreadable) {
  std::vector<std::byte> bytes(batch.size() * pattern.size());
  std::vector<target::Segment> segments;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    segments.push_back({batch[i].key, std::span(bytes).subspan(i * pattern.size(), pattern.size())});
  }
  std::vector<std::size_t> found;
  for (std::size_t done = 0; done < batch.size() && unreadable < kMaxUnreadable;) {
    const std::size_t filled = memory.read(std::span(segments).subspan(done)).filled;
    for (const std::size_t end = done + filled; done < end; ++done) {
      if (pattern.matches(segments[done].to)) found.push_back(done);
    }
    if (done < batch.size()) {
      ++done;
      ++unreadable;
    }
  }
  return found;
}

// Follows the last step, to the value of `name`.
void finish(Memory& memory, const Layout& layout, const std::vector<DictItem>& items, std::string_view name,
            Attribute& attribute) {
  if (items.size() > kMaxAttributes) return;
  const DictItem* item = find_item(memory, layout, items, name);
  if (item == nullptr) return;
  attribute.trail.push_back({item->place, item->value});
  attribute.value = item->value;
}

void find_in_dict(Memory& memory, const Layout& layout, Address dict, std::string_view name, Attribute& attribute) {
  const DictContents contents = read_dict(memory, layout, dict);
  attribute.trail.insert(attribute.trail.end(), contents.trail.begin(), contents.trail.end());
  finish(memory, layout, contents.items, name, attribute);
}

// 3.11+: where an object whose attributes are managed keeps them as mere values; null if it does not.
Address find_values(Memory& memory, const Layout& layout, Address object, const ObjectType& type, Attribute& found) {
  const auto follow_back = [&](Offset distance) {
    return follow(memory, object + (0 - std::uint64_t{distance}), found.trail);
  };
  if (layout.attributes_kind == AttributesKind::two_pointers) return follow_back(layout.before_object.values);
  const Address dict = follow_back(layout.before_object.dict);
  if (layout.attributes_kind == AttributesKind::tagged_pointer) {
    return (to_number(dict) & 1) != 0 ? dict + 1 : target::kNull;  // a pointer to values is stored less one
  }
  if (dict != target::kNull || (type.flags & layout.type_flag.inline_values) == 0) return target::kNull;
  const Address values = object + static_cast<std::uint64_t>(type.basic_size);
  std::uint8_t valid = 0;
  if (memory.read_value(values + layout.dict_values.valid, valid) != ReadStatus::ok) return target::kNull;
  return valid == 1 ? values : target::kNull;
}

}  // namespace

DictContents read_dict(Memory& memory, const Layout& layout, Address dict) {
  if (layout.dict.keys == kAbsent || !is_instance(memory, layout, dict, layout.type_flag.dict)) return {};
  DictContents contents;
  const auto read = [&](const std::optional<Entries>& entries) {
    if (entries) contents.items = without_empty(read_entries(memory, *entries));
  };
  if (layout.dict_kind == DictKind::open_table) {
    read(open_entries(memory, layout, dict, contents.trail));
    return contents;
  }
  const Address keys = follow(memory, dict + layout.dict.keys, contents.trail);
  const Address values = follow(memory, dict + layout.dict.values, contents.trail);
  if (values == target::kNull) {
    read(find_entries(memory, layout, keys));
  } else {
    contents.items = read_shared(memory, layout, keys, values);
  }
  return contents;
}

const DictItem* find_item(Memory& memory, const Layout& layout, const std::vector<DictItem>& items,
                          std::string_view key) {
  const TextPattern pattern(layout, key);
  std::size_t unreadable = 0;
  for (std::size_t start = 0; start < items.size() && unreadable < kMaxUnreadable; start += kBatch) {
    const auto batch = std::span(items).subspan(start, std::min(kBatch, items.size() - start));
    for (const std::size_t match : matches_in(memory, batch, pattern, unreadable)) {
      if (is_instance(memory, layout, batch[match].key, layout.type_flag.text)) return &batch[match];
    }
  }
  return nullptr;
}

Attribute find_attribute(Memory& memory, const Layout& layout, Address object, std::string_view name) {
  Attribute attribute;
  const auto type = read_type(memory, layout, object);
  if (!type) return attribute;
  attribute.trail.push_back({object + layout.object.type, type->address});
  Address dict_place = object + static_cast<std::uint64_t>(type->dict_offset);
  if ((type->flags & layout.type_flag.managed_dict) != 0) {
    const Address values = find_values(memory, layout, object, *type, attribute);
    if (values != target::kNull) {
      finish(memory, layout, read_shared(memory, layout, type->shared_keys, values), name, attribute);
      return attribute;
    }
    dict_place = object + (0 - std::uint64_t{layout.before_object.dict});
  } else if (type->dict_offset <= 0 || type->dict_offset > kMaxDictOffset) {
    return attribute;
  }
  find_in_dict(memory, layout, follow(memory, dict_place, attribute.trail), name, attribute);
  return attribute;
}

}  // namespace flametap::cpython

// Interner: equal values get the same small number, in the order of their first appearance.
//
// A value stays where it is for the life of the interner, moved or not, so a view of one may be kept. Interning what is
// already known allocates nothing. Not safe for concurrent calls.
//
// A hash table of numbers beside the values, instead of a map with pointers into it: a copy or a move needs no care.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace flametap {

// Hashes texts, and plain values by their bytes. Other types bring their own.
struct InternerHash {
  template <typename Key>
  std::size_t operator()(const Key& key) const {
    if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
      return std::hash<std::string_view>{}(key);
    } else {
      static_assert(std::has_unique_object_representations_v<Key>, "padding has no value: equal keys would differ");
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&key), sizeof(Key)});
    }
  }
};

template <typename Value, typename Id, typename Hash = InternerHash>
class Interner {
 public:
  // `Key` may be a lighter form of Value that hashes and compares like it, such as std::string_view.
  template <typename Key>
  Id intern(const Key& key) {
    const std::size_t hash = Hash{}(key);
    if (!slots_.empty()) {
      const std::uint32_t number = slots_[slot_of(key, hash)];
      if (number != kFree) return static_cast<Id>(number);
    }
    return append(key, hash);
  }

  template <typename Key>
  [[nodiscard]] std::optional<Id> find(const Key& key) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint32_t number = slots_[slot_of(key, Hash{}(key))];
    if (number == kFree) return std::nullopt;
    return static_cast<Id>(number);
  }

  [[nodiscard]] const Value& operator[](Id id) const {
    assert(static_cast<std::size_t>(id) < values_.size());
    return values_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  static constexpr std::uint32_t kFree = 0xffff'ffff;
  static constexpr std::size_t kFirstSlots = 16;

  // Where `key` stands, or the free slot where it belongs. At most half of the slots are taken, so there is one.
  template <typename Key>
  std::size_t slot_of(const Key& key, std::size_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot] != kFree && !(values_[slots_[slot]] == key)) slot = (slot + 1) & mask;
    return slot;
  }

  template <typename Key>
  Id append(const Key& key, std::size_t hash) {
    assert(values_.size() < kFree);
    if ((values_.size() + 1) * 2 > slots_.size()) grow();
    const std::size_t slot = slot_of(key, hash);
    slots_[slot] = static_cast<std::uint32_t>(values_.size());
    values_.emplace_back(key);
    return static_cast<Id>(slots_[slot]);
  }

  void grow() {
    const std::size_t mask = (slots_.empty() ? kFirstSlots : slots_.size() * 2) - 1;
    slots_.assign(mask + 1, kFree);
    for (std::size_t number = 0; number < values_.size(); ++number) {
      std::size_t slot = Hash{}(values_[number]) & mask;
      while (slots_[slot] != kFree) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<std::uint32_t>(number);
    }
  }

  std::deque<Value> values_;          // never moves a value that is in it
  std::vector<std::uint32_t> slots_;  // open addressing: places in values_, or kFree; the size is a power of two
};

}  // namespace flametap

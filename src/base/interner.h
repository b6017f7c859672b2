// Interner: equal values get the same small number, in the order of their first appearance.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace flametap {

template <typename Value, typename Id>
class Interner {
 public:
  // `Key` may be a lighter form of Value that compares with it, such as std::string_view.
  template <typename Key>
  Id intern(const Key& key) {
    auto place = ids_.lower_bound(key);
    if (place == ids_.end() || key < place->first) {
      place = ids_.emplace_hint(place, Value(key), static_cast<Id>(values_.size()));
      values_.push_back(&place->first);
    }
    return place->second;
  }

  [[nodiscard]] const Value& operator[](Id id) const {
    assert(static_cast<std::size_t>(id) < values_.size());
    return *values_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  std::map<Value, Id, std::less<>> ids_;  // a node never moves, so values_ may point into it
  std::vector<const Value*> values_;
};

}  // namespace flametap

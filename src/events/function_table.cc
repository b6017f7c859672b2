#include "events/function_table.h"

#include <functional>

namespace flametap::events {

std::size_t FunctionTable::PlaceHash::operator()(const Place& place) const {
  const std::hash<std::string_view> hash;
  return (hash(place.file) * 31 + hash(place.function)) * 31 + static_cast<std::size_t>(place.line);
}

std::uint32_t FunctionTable::called(std::string_view file, std::string_view function, std::int32_t line) {
  const auto known = places_.find({file, function, line});
  if (known != places_.end()) return known->second;
  if (functions_.size() > kMaxFunctions) return kOthers;
  const auto number = static_cast<std::uint32_t>(functions_.size());
  functions_.push_back({file, function, line});
  places_.emplace(Place{file, function, line}, number);
  places_.emplace(Place{file, function, 0}, number);  // unless another one was first
  return number;
}

void FunctionTable::left(std::uint32_t number, std::int32_t line) {
  if (number == kOthers || line <= 0 || places_.size() >= kMaxPlaces) return;
  places_.emplace(Place{functions_[number].file, functions_[number].function, line}, number);
}

}  // namespace flametap::events

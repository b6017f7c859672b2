#include "tracer/type_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cpython/dict_reader.h"
#include "cpython/object_type.h"
#include "cpython/text.h"
#include "tracer/read_prefix.h"

namespace flametap::tracer {

using target::Address;
using target::ReadStatus;

namespace {

constexpr std::size_t kMaxTypeName = 200;
// CPython and its extension modules have some hundreds.
constexpr std::size_t kMaxKept = 10'000;

std::optional<std::string> read_c_string(target::Memory& memory, Address from) {
  std::array<std::byte, kMaxTypeName> buffer{};
  const std::span<std::byte> read = std::span(buffer).first(read_prefix(memory, from, buffer));
  const auto end = std::find(read.begin(), read.end(), std::byte{0});
  if (end == read.begin() || end == read.end()) return std::nullopt;
  return cpython::utf8_from_bytes(read.first(static_cast<std::size_t>(end - read.begin())));
}

}  // namespace

std::optional<TypeNames::Type> TypeNames::find(Address type) {
  const auto known = built_in_.find(to_number(type));
  if (known != built_in_.end()) return known->second;
  std::optional<Type> found = read(type);
  if (found && found->built_in && built_in_.size() < kMaxKept) built_in_.emplace(to_number(type), *found);
  return found;
}

std::optional<TypeNames::Type> TypeNames::read(Address type) {
  if (type == target::kNull || layout_.type.flags == cpython::kAbsent) return std::nullopt;
  Type found;
  Address name = target::kNull;
  if (live_.read_value(type + layout_.type.flags, found.flags) != ReadStatus::ok) return std::nullopt;
  if (live_.read_value(type + layout_.type.name, name) != ReadStatus::ok) return std::nullopt;
  std::optional<std::string> text = read_c_string(live_, name);
  if (!text) return std::nullopt;
  found.name = std::move(*text);
  found.built_in = (found.flags & layout_.type_flag.allocated) == 0;
  // The name of a class says nothing of its module.
  if (found.built_in || found.name.find('.') != std::string::npos) return found;
  if (const std::string module = module_of(type); !module.empty()) found.name = module + '.' + found.name;
  return found;
}

std::string TypeNames::module_of(Address type) {
  Address dict = target::kNull;
  if (live_.read_value(type + layout_.type.dict, dict) != ReadStatus::ok) return "";
  const cpython::DictContents contents = cpython::read_dict(live_, layout_, dict);
  const cpython::DictItem* const item = cpython::find_item(live_, layout_, contents.items, "__module__");
  if (item == nullptr || !cpython::is_instance(live_, layout_, item->value, layout_.type_flag.text)) return "";
  return cpython::read_text(live_, layout_, item->value).value_or("");
}

}  // namespace flametap::tracer

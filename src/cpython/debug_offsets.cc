#include "cpython/debug_offsets.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "cpython/layout_table.h"

namespace flametap::cpython {
namespace {

constexpr std::string_view kCookie = "xdebugpy";
constexpr std::size_t kVersionPosition = 8;
constexpr std::size_t kFreeThreadedPosition = 16;
// The largest struct, that of an interpreter, has some hundred thousand bytes.
constexpr std::uint64_t kMaxStructSize = 1 << 24;

Error refuse(const std::string& reason) {
  return {Failure::not_python, "this CPython's description of itself does not fit together: " + reason, ""};
}

// One stated offset, if it can be one: inside its struct and aligned.
std::optional<Offset> stated_offset(Bytes description, const DescribedField& field) {
  const auto offset = load<std::uint64_t>(description, field.position);
  const auto size = load<std::uint64_t>(description, field.size_position);
  const auto origin = field.origin_position == kAbsent ? std::optional<std::uint64_t>(0)
                                                       : load<std::uint64_t>(description, field.origin_position);
  if (!offset || !size || !origin || *size > kMaxStructSize) return std::nullopt;
  if (*offset >= *size || *size - *offset < field.width || *offset < *origin) return std::nullopt;
  const std::uint64_t inner = *offset - *origin;
  return inner % field.width == 0 ? std::optional(static_cast<Offset>(inner)) : std::nullopt;
}

std::string_view group_of(const DescribedField& field) {
  const std::string_view name = field.name;
  return name.substr(0, name.find('.'));
}

// Whether two fields of one struct were given the same place: a sure sign of numbers that mean something else.
bool any_coincide(const DebugOffsetsShape& shape, Bytes description) {
  const auto stated = [&](const DescribedField& field) { return load<std::uint64_t>(description, field.position); };
  for (const DescribedField& one : shape.fields) {
    for (const DescribedField& other : shape.fields) {
      if (&one != &other && group_of(one) == group_of(other) && stated(one) == stated(other)) return true;
    }
  }
  return false;
}

// CPython's ABI fixes how objects begin: whatever stands before ob_type, ob_type itself, then what the type adds. These
// are stated behind most other numbers, so a field that was inserted or removed anywhere shows here.
bool objects_begin_as_ever(const Layout& layout) {
  const Offset head = layout.object.type + 8;
  return layout.type.name == head + 8 && layout.bytes.length == head && layout.bytes.data == head + 16 &&
         layout.text.length == head && layout.text.state == head + 16 && layout.text.ascii_data == head + 24;
}

// Moves what the description leaves out along with the stated field that it stands beside.
void place_the_unstated(const Layout& row, Layout& layout) {
  layout.thread.stack_top = layout.thread.stack_chunk + (row.thread.stack_top - row.thread.stack_chunk);
  layout.code.unit_count = layout.bytes.length + (row.code.unit_count - row.bytes.length);
  layout.code.flags = layout.code.first_line + (row.code.flags - row.code.first_line);
  layout.code.unique_version = layout.code.first_line + (row.code.unique_version - row.code.first_line);
  layout.text.compact_data = layout.text.ascii_data + (row.text.compact_data - row.text.ascii_data);
  layout.text.separate_data = layout.text.ascii_data + (row.text.separate_data - row.text.ascii_data);
}

}  // namespace

bool has_debug_offsets(Bytes runtime_start) {
  return runtime_start.size() >= kCookie.size() &&
         std::memcmp(runtime_start.data(), kCookie.data(), kCookie.size()) == 0;
}

Result<Layout> layout_from_debug_offsets(Bytes runtime_start) {
  const auto hex = load<std::uint64_t>(runtime_start, kVersionPosition);
  const auto free_threaded = load<std::uint64_t>(runtime_start, kFreeThreadedPosition);
  if (!has_debug_offsets(runtime_start) || !hex || !free_threaded) return refuse("there is none");
  if (*hex > 0xffff'ffff || *free_threaded > 1) return refuse("it begins with impossible numbers");

  const Version version = Version::from_hex(static_cast<std::uint32_t>(*hex));
  const auto known = find_self_described(version, *free_threaded == 1);
  if (!known) return refuse("version " + to_string(version) + " has none");
  if (runtime_start.size() < known->shape->size) return refuse("it is cut short");

  Layout layout = *known->row;
  layout.version = version;
  layout.exact = known->exact;
  for (const DescribedField& field : known->shape->fields) {
    const auto offset = stated_offset(runtime_start, field);
    if (!offset) return refuse(std::string(field.name) + " lies outside its struct");
    field.place(layout) = *offset;
  }
  if (any_coincide(*known->shape, runtime_start)) return refuse("two fields share one place");
  if (!objects_begin_as_ever(layout)) return refuse("objects begin otherwise than ever before");
  place_the_unstated(*known->row, layout);
  // Of a version we do not know, nothing confirms these numbers: better not to tell than to tell it wrong.
  if (!layout.exact) layout.interpreter.gc = layout.gc.collecting = kAbsent;
  // How dictionaries look inside is not described at all. A build that traces references moves them, too.
  if (!layout.exact || layout.object.type != known->row->object.type) layout.dict = {};
  return with_sizes(layout);
}

}  // namespace flametap::cpython

// Fields of protocol buffers from hostile bytes: a field of another type than expected is passed over and counts as not
// there. What is cut off or malformed throws protozero::exception.
#pragma once

#include <cstdint>
#include <protozero/pbf_message.hpp>
#include <string_view>

namespace flametap::format {

template <typename Message>
[[nodiscard]] std::uint64_t get_unsigned(Message& message) {
  if (message.wire_type() == protozero::pbf_wire_type::varint) return message.get_uint64();
  message.skip();
  return 0;
}

template <typename Message>
[[nodiscard]] std::int64_t get_signed(Message& message) {
  return static_cast<std::int64_t>(get_unsigned(message));
}

template <typename Message>
[[nodiscard]] std::string_view get_bytes(Message& message) {
  if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
    const protozero::data_view view = message.get_view();
    return {view.data(), view.size()};
  }
  message.skip();
  return {};
}

// Calls `take` for each number of a repeated field, packed or not.
template <typename Message, typename Take>
void for_each_number(Message& message, Take take) {
  if (message.wire_type() == protozero::pbf_wire_type::length_delimited) {
    for (const std::uint64_t number : message.get_packed_uint64()) take(number);
  } else {
    take(get_unsigned(message));
  }
}

}  // namespace flametap::format

#include "format/pprof_tables.h"

#include <limits>
#include <utility>

#include "format/limits.h"
#include "format/profile_proto.h"
#include "format/protobuf.h"

namespace flametap::format {
namespace {

constexpr std::size_t kMaxInlined = 1024;  // calls at one address

std::int32_t line_number(std::int64_t number) {
  return number > 0 && number <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(number) : 0;
}

// Goes through the fields of a message; `read` takes one, or skips it. False if the message is damaged, at any depth.
template <typename Tag, typename Read>
bool for_each_field(std::string_view content, Read read) {
  try {
    protozero::pbf_message<Tag> message(content.data(), content.size());
    while (message.next()) read(message);
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

}  // namespace

PprofTables::PprofTables(std::string_view content) {
  read_strings(content);
  read_rest(content);
}

void PprofTables::read_strings(std::string_view content) {
  const bool whole = for_each_field<proto::Profile>(content, [&](auto& message) {
    if (message.tag() != proto::Profile::string_table || strings_.size() >= kMaxTableRows) return message.skip();
    strings_.push_back(get_bytes(message));
  });
  if (!whole) damage_ = "it is cut off or damaged";
  if (strings_.size() >= kMaxTableRows) damage_ = "it holds too many strings";
}

void PprofTables::read_rest(std::string_view content) {
  using enum proto::Profile;
  (void)for_each_field<proto::Profile>(content, [&](auto& message) {
    switch (message.tag()) {
      case sample_type:
        sample_types_.push_back(read_value_type(get_bytes(message)));
        if (sample_types_.size() > kMaxInlined) sample_types_.pop_back();
        break;
      case mapping:
        read_mapping(get_bytes(message));
        break;
      case location:
        read_location(get_bytes(message));
        break;
      case function:
        read_function(get_bytes(message));
        break;
      case time_nanos:
        time_ns_ = get_signed(message);
        break;
      case duration_nanos:
        duration_ns_ = get_signed(message);
        break;
      case period_type:
        period_type_ = read_value_type(get_bytes(message));
        break;
      case period:
        period_ = get_signed(message);
        break;
      case comment:
        for_each_number(message, [&](std::uint64_t index) {
          if (comments_.size() < kMaxTableRows) comments_.push_back(text(static_cast<std::int64_t>(index)));
        });
        break;
      case default_sample_type:
        default_sample_type_ = text(get_signed(message));
        break;
      default:
        message.skip();
    }
  });
}

PprofValueType PprofTables::read_value_type(std::string_view content) const {
  PprofValueType result;
  (void)for_each_field<proto::ValueType>(content, [&](auto& message) {
    switch (message.tag()) {
      case proto::ValueType::type:
        result.type = text(get_signed(message));
        break;
      case proto::ValueType::unit:
        result.unit = text(get_signed(message));
        break;
      default:
        message.skip();
    }
  });
  return result;
}

void PprofTables::read_function(std::string_view content) {
  std::uint64_t id = 0;
  PprofFunction function;
  (void)for_each_field<proto::Function>(content, [&](auto& message) {
    switch (message.tag()) {
      case proto::Function::id:
        id = get_unsigned(message);
        break;
      case proto::Function::name:
        function.name = text(get_signed(message));
        break;
      case proto::Function::system_name:
        if (const std::string_view name = text(get_signed(message)); function.name.empty()) function.name = name;
        break;
      case proto::Function::filename:
        function.file = text(get_signed(message));
        break;
      case proto::Function::start_line:
        function.first_line = line_number(get_signed(message));
        break;
      default:
        message.skip();
    }
  });
  if (functions_.size() < kMaxTableRows) functions_.emplace(id, function);
}

void PprofTables::read_location(std::string_view content) {
  std::uint64_t id = 0;
  PprofLocation location;
  (void)for_each_field<proto::Location>(content, [&](auto& message) {
    switch (message.tag()) {
      case proto::Location::id:
        id = get_unsigned(message);
        break;
      case proto::Location::mapping_id:
        location.mapping = get_unsigned(message);
        break;
      case proto::Location::address:
        location.address = get_unsigned(message);
        break;
      case proto::Location::line: {
        PprofLine line;
        (void)for_each_field<proto::Line>(get_bytes(message), [&](auto& part) {
          if (part.tag() == proto::Line::function_id) {
            line.function = get_unsigned(part);
          } else if (part.tag() == proto::Line::line) {
            line.line = line_number(get_signed(part));
          } else {
            part.skip();
          }
        });
        if (location.lines.size() < kMaxInlined) location.lines.push_back(line);
        break;
      }
      default:
        message.skip();
    }
  });
  if (locations_.size() < kMaxTableRows) locations_.emplace(id, std::move(location));
}

void PprofTables::read_mapping(std::string_view content) {
  std::uint64_t id = 0;
  std::string_view file;
  (void)for_each_field<proto::Mapping>(content, [&](auto& message) {
    switch (message.tag()) {
      case proto::Mapping::id:
        id = get_unsigned(message);
        break;
      case proto::Mapping::filename:
        file = text(get_signed(message));
        break;
      default:
        message.skip();
    }
  });
  if (mappings_.empty()) first_mapping_ = file;
  if (mappings_.size() < kMaxTableRows) mappings_.emplace(id, file);
}

std::string_view PprofTables::text(std::int64_t index) const {
  const auto place = static_cast<std::uint64_t>(index);
  return place < strings_.size() ? strings_[place] : std::string_view();
}

const PprofFunction* PprofTables::function(std::uint64_t id) const {
  const auto found = functions_.find(id);
  return found == functions_.end() ? nullptr : &found->second;
}

const PprofLocation* PprofTables::location(std::uint64_t id) const {
  const auto found = locations_.find(id);
  return found == locations_.end() ? nullptr : &found->second;
}

std::string_view PprofTables::mapping_file(std::uint64_t id) const {
  const auto found = mappings_.find(id);
  return found == mappings_.end() ? std::string_view() : found->second;
}

}  // namespace flametap::format

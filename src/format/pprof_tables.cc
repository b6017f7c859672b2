#include "format/pprof_tables.h"

#include <limits>
#include <protozero/pbf_message.hpp>

#include "format/limits.h"
#include "format/profile_proto.h"

namespace flametap::format {
namespace {

constexpr std::size_t kMaxInlined = 1024;  // calls at one address

std::string_view view_of(const protozero::data_view& view) { return {view.data(), view.size()}; }

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
    strings_.push_back(view_of(message.get_view()));
  });
  if (!whole) damage_ = "it is cut off or damaged";
  if (strings_.size() >= kMaxTableRows) damage_ = "it holds too many strings";
}

void PprofTables::read_rest(std::string_view content) {
  using enum proto::Profile;
  (void)for_each_field<proto::Profile>(content, [&](auto& message) {
    switch (message.tag()) {
      case sample_type:
        sample_types_.push_back(read_value_type(view_of(message.get_view())));
        if (sample_types_.size() > kMaxInlined) sample_types_.pop_back();
        break;
      case mapping:
        read_mapping(view_of(message.get_view()));
        break;
      case location:
        read_location(view_of(message.get_view()));
        break;
      case function:
        read_function(view_of(message.get_view()));
        break;
      case time_nanos:
        time_ns_ = message.get_int64();
        break;
      case duration_nanos:
        duration_ns_ = message.get_int64();
        break;
      case period_type:
        period_type_ = read_value_type(view_of(message.get_view()));
        break;
      case period:
        period_ = message.get_int64();
        break;
      case comment:
        if (message.wire_type() == protozero::pbf_wire_type::varint) {
          comments_.push_back(text(message.get_int64()));
        } else {
          for (const std::int64_t index : message.get_packed_int64()) comments_.push_back(text(index));
        }
        if (comments_.size() > kMaxTableRows) comments_.clear();
        break;
      case default_sample_type:
        default_sample_type_ = text(message.get_int64());
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
        result.type = text(message.get_int64());
        break;
      case proto::ValueType::unit:
        result.unit = text(message.get_int64());
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
        id = message.get_uint64();
        break;
      case proto::Function::name:
        function.name = text(message.get_int64());
        break;
      case proto::Function::system_name:
        if (const std::string_view name = text(message.get_int64()); function.name.empty()) function.name = name;
        break;
      case proto::Function::filename:
        function.file = text(message.get_int64());
        break;
      case proto::Function::start_line:
        function.first_line = line_number(message.get_int64());
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
        id = message.get_uint64();
        break;
      case proto::Location::mapping_id:
        location.mapping = message.get_uint64();
        break;
      case proto::Location::address:
        location.address = message.get_uint64();
        break;
      case proto::Location::line: {
        PprofLine line;
        (void)for_each_field<proto::Line>(view_of(message.get_view()), [&](auto& part) {
          if (part.tag() == proto::Line::function_id) {
            line.function = part.get_uint64();
          } else if (part.tag() == proto::Line::line) {
            line.line = line_number(part.get_int64());
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
        id = message.get_uint64();
        break;
      case proto::Mapping::filename:
        file = text(message.get_int64());
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

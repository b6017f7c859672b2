// PprofTables: the tables of a profile.proto that its samples refer to, checked and bounded.
//
// They may stand in any order in the file, mostly behind the samples, so they are read in a pass of their own. Texts
// are views of the file's bytes, which must stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace flametap::format {

struct PprofValueType {
  std::string_view type;
  std::string_view unit;
};

struct PprofFunction {
  std::string_view name;
  std::string_view file;
  std::int32_t first_line = 0;
};

struct PprofLine {
  std::uint64_t function = 0;
  std::int32_t line = 0;
};

struct PprofLocation {
  std::vector<PprofLine> lines;  // the innermost inlined call first
  std::uint64_t address = 0;
  std::uint64_t mapping = 0;
};

class PprofTables {
 public:
  // Reads all it can; `damage()` says what it could not.
  explicit PprofTables(std::string_view content);

  [[nodiscard]] std::string_view text(std::int64_t index) const;
  [[nodiscard]] const PprofFunction* function(std::uint64_t id) const;
  [[nodiscard]] const PprofLocation* location(std::uint64_t id) const;
  [[nodiscard]] std::string_view mapping_file(std::uint64_t id) const;

  [[nodiscard]] const std::vector<PprofValueType>& sample_types() const { return sample_types_; }
  [[nodiscard]] const PprofValueType& period_type() const { return period_type_; }
  [[nodiscard]] std::string_view default_sample_type() const { return default_sample_type_; }
  [[nodiscard]] const std::vector<std::string_view>& comments() const { return comments_; }
  [[nodiscard]] std::int64_t period() const { return period_; }
  [[nodiscard]] std::int64_t time_ns() const { return time_ns_; }
  [[nodiscard]] std::int64_t duration_ns() const { return duration_ns_; }
  [[nodiscard]] std::string_view first_mapping() const { return first_mapping_; }
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  void read_strings(std::string_view content);
  void read_rest(std::string_view content);
  PprofValueType read_value_type(std::string_view message) const;
  void read_function(std::string_view message);
  void read_location(std::string_view message);
  void read_mapping(std::string_view message);

  std::vector<std::string_view> strings_;
  std::unordered_map<std::uint64_t, PprofFunction> functions_;
  std::unordered_map<std::uint64_t, PprofLocation> locations_;
  std::unordered_map<std::uint64_t, std::string_view> mappings_;
  std::string_view first_mapping_;
  std::vector<PprofValueType> sample_types_;
  PprofValueType period_type_;
  std::string_view default_sample_type_;
  std::vector<std::string_view> comments_;
  std::int64_t period_ = 0;
  std::int64_t time_ns_ = 0;
  std::int64_t duration_ns_ = 0;
  std::string damage_;
};

}  // namespace flametap::format

#include "format/pprof_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <vector>

#include "format/gzip.h"

namespace flametap::format {
namespace {

// What a field of profile.proto holds, written down here a second time so that the writer's own table is checked.
enum class Holds { number, text, message, packed };

struct Field {
  std::uint32_t tag;
  const char* name;
  Holds holds;
  const std::vector<Field>* message = nullptr;
};

const std::vector<Field> kValueType = {{1, "type", Holds::text}, {2, "unit", Holds::text}};
const std::vector<Field> kLabel = {{1, "key", Holds::text}, {2, "str", Holds::text}, {3, "num", Holds::number}};
const std::vector<Field> kSample = {
    {1, "location_id", Holds::packed}, {2, "value", Holds::packed}, {3, "label", Holds::message, &kLabel}};
const std::vector<Field> kMapping = {{1, "id", Holds::number},
                                     {5, "filename", Holds::text},
                                     {7, "has_functions", Holds::number},
                                     {8, "has_filenames", Holds::number},
                                     {9, "has_line_numbers", Holds::number},
                                     {10, "has_inline_frames", Holds::number}};
const std::vector<Field> kLine = {{1, "function_id", Holds::number}, {2, "line", Holds::number}};
const std::vector<Field> kLocation = {
    {1, "id", Holds::number}, {2, "mapping_id", Holds::number}, {4, "line", Holds::message, &kLine}};
const std::vector<Field> kFunction = {{1, "id", Holds::number},
                                      {2, "name", Holds::text},
                                      {3, "system_name", Holds::text},
                                      {4, "filename", Holds::text},
                                      {5, "start_line", Holds::number}};
const std::vector<Field> kProfile = {{1, "sample_type", Holds::message, &kValueType},
                                     {2, "sample", Holds::message, &kSample},
                                     {3, "mapping", Holds::message, &kMapping},
                                     {4, "location", Holds::message, &kLocation},
                                     {5, "function", Holds::message, &kFunction},
                                     {9, "time_nanos", Holds::number},
                                     {10, "duration_nanos", Holds::number},
                                     {11, "period_type", Holds::message, &kValueType},
                                     {12, "period", Holds::number},
                                     {13, "comment", Holds::packed},
                                     {14, "default_sample_type", Holds::text}};
constexpr std::uint32_t kStringTable = 6;
constexpr std::uint32_t kComment = 13;

class Printer {
 public:
  explicit Printer(const std::string& content) {
    protozero::pbf_reader reader(content);
    while (reader.next()) {
      if (reader.tag() == kStringTable) {
        strings_.push_back(reader.get_string());
      } else {
        reader.skip();
      }
    }
  }

  void print(protozero::pbf_reader reader, const std::vector<Field>& fields, const std::string& indent) {
    while (reader.next()) {
      if (&fields == &kProfile && reader.tag() == kStringTable) {
        reader.skip();
        continue;
      }
      const Field* known = nullptr;
      for (const Field& field : fields) {
        if (field.tag == reader.tag()) known = &field;
      }
      ASSERT_NE(known, nullptr) << "field " << reader.tag();
      text += indent + known->name;
      print_value(reader, *known, indent);
    }
  }

  std::string text;

 private:
  void print_value(protozero::pbf_reader& reader, const Field& field, const std::string& indent) {
    switch (field.holds) {
      case Holds::number:
        text += " " + std::to_string(reader.get_int64()) + "\n";
        break;
      case Holds::text:
        text += " " + quoted(reader.get_int64()) + "\n";
        break;
      case Holds::packed:
        for (const std::int64_t number : reader.get_packed_int64()) {
          text += " " + (field.tag == kComment ? quoted(number) : std::to_string(number));
        }
        text += "\n";
        break;
      case Holds::message:
        text += "\n";
        print(reader.get_message(), *field.message, indent + "  ");
        break;
    }
  }

  std::string quoted(std::int64_t place) const {
    const auto index = static_cast<std::size_t>(place);
    return index < strings_.size() ? "'" + strings_[index] + "'" : "NO STRING " + std::to_string(place);
  }

  std::vector<std::string> strings_;
};

}  // namespace

std::string pprof_text(std::string_view gzipped) {
  const std::string content = gunzip(gzipped).content;
  Printer printer(content);
  printer.print(protozero::pbf_reader(content), kProfile, "");
  return printer.text;
}

}  // namespace flametap::format

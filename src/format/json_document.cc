#include "format/json_document.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "format/limits.h"

namespace flametap::format {
namespace {

using nlohmann::json;

// Whether brackets nest deeper than the format does. The library takes such a text, but is slow to let go of it.
bool nests_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// The library's own message names its source file and repeats the input; this is what people need of it.
Error syntax_error(std::string_view text, const json::parse_error& error) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i + 1 < error.byte && i < text.size(); ++i, ++column) {
    if (text[i] != '\n') continue;
    ++line;
    column = 0;
  }
  return Error{Failure::failed,
               "not JSON from line " + std::to_string(line) + ", column " + std::to_string(column) + " on", ""};
}

// Looks at the keys of the outermost object until one of them tells.
class KindFinder : public nlohmann::json_sax<json> {
 public:
  JsonKind kind = JsonKind::other;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ > 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ > 0; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    if (name == "flametap") kind = JsonKind::flametap;
    if (name == "profiles" || name == "shared") kind = JsonKind::speedscope;
    if (name == "traceEvents") kind = JsonKind::chrome_trace;
    if (name == "nodes" || name == "timeDeltas") kind = JsonKind::cpu_profile;
    return kind == JsonKind::other;
  }

 private:
  std::size_t depth_ = 0;
};

}  // namespace

Result<json> parse_json(std::string_view text) {
  if (text.size() > kMaxFileBytes) return Error{Failure::failed, "larger than 1 GiB", ""};
  if (nests_too_deep(text)) return Error{Failure::failed, "its brackets nest deeper than in any profile", ""};
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    return syntax_error(text, error);
  } catch (const json::exception&) {
    return Error{Failure::failed, "it holds a number that is out of every range", ""};
  }
}

JsonKind kind_of_json(std::string_view text) {
  KindFinder finder;
  (void)json::sax_parse(text, &finder);
  return finder.kind;
}

}  // namespace flametap::format

#include "server/multipart.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "server/ascii.h"

namespace flametap::server {
namespace {

constexpr std::size_t kMaxParts = 16;
constexpr std::size_t kMaxPartHeader = 8192;
constexpr std::size_t kMaxBoundary = 70;  // by RFC 2046
constexpr std::string_view kFormType = "multipart/form-data";

Error broken(const std::string& what) { return Error{Failure::usage, "the form is broken: " + what, ""}; }

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size())); }

// A word, or a text in quotes in which a backslash stands before a quote or a backslash.
std::optional<std::string> take_value(std::string_view& text) {
  std::string value;
  if (!text.starts_with('"')) {
    const std::size_t end = std::min(text.find_first_of("; \t"), text.size());
    value = text.substr(0, end);
    text.remove_prefix(end);
    return value.empty() ? std::nullopt : std::optional(value);
  }
  text.remove_prefix(1);
  while (!text.empty() && text.front() != '"') {
    const bool escaped = text.size() > 1 && text[0] == '\\' && (text[1] == '"' || text[1] == '\\');
    value += text[escaped ? 1 : 0];
    text.remove_prefix(escaped ? 2 : 1);
  }
  if (text.empty()) return std::nullopt;
  text.remove_prefix(1);
  return value;
}

// `; name="a"; filename=b`; nothing if it is not like that, or says something twice.
std::optional<std::map<std::string, std::string>> parse_parameters(std::string_view text) {
  std::map<std::string, std::string> parameters;
  while (true) {
    skip_blanks(text);
    if (text.empty()) return parameters;
    if (text.front() != ';') return std::nullopt;
    text.remove_prefix(1);
    skip_blanks(text);
    if (text.empty()) return parameters;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const std::string name = lower(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    const auto value = take_value(text);
    if (!value || !parameters.emplace(name, *value).second) return std::nullopt;
  }
}

Result<std::string> boundary_of(std::string_view content_type) {
  const auto parameters = parse_parameters(content_type.substr(kFormType.size()));
  if (!parameters || !parameters->contains("boundary")) return broken("its type names no boundary");
  const std::string& boundary = parameters->at("boundary");
  const auto is_sound = [](unsigned char character) { return character > 0x20 && character < 0x7f; };
  if (boundary.empty() || boundary.size() > kMaxBoundary || !std::ranges::all_of(boundary, is_sound))
    return broken("its boundary is none");
  return boundary;
}

// Reads the header lines of a part; what they say besides the name does not matter here.
Result<FormPart> parse_header(std::string_view header) {
  std::optional<FormPart> part;
  while (!header.empty()) {
    const std::size_t end = header.find("\r\n");
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(end == std::string_view::npos ? header.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return broken("a part has a header line without a colon");
    if (lower(line.substr(0, colon)) != "content-disposition") continue;
    std::string_view value = line.substr(colon + 1);
    skip_blanks(value);
    constexpr std::string_view kDisposition = "form-data";
    if (lower(value.substr(0, kDisposition.size())) != kDisposition || part) return broken("a part is no form field");
    auto parameters = parse_parameters(value.substr(kDisposition.size()));
    if (!parameters || !parameters->contains("name")) return broken("a part has no name");
    part = FormPart{(*parameters)["name"], (*parameters)["filename"], {}};
  }
  if (!part) return broken("a part has no name");
  return *part;
}

}  // namespace

bool is_form(std::string_view content_type) { return lower(content_type.substr(0, kFormType.size())) == kFormType; }

Result<std::vector<FormPart>> parse_form(std::string_view content_type, std::string_view body) {
  if (!is_form(content_type)) return Error{Failure::usage, "the body is not multipart/form-data", ""};
  const auto boundary = boundary_of(content_type);
  if (!boundary) return boundary.error();
  const std::string delimiter = "\r\n--" + *boundary;
  if (!body.starts_with(std::string_view(delimiter).substr(2))) return broken("it does not begin with its boundary");
  body.remove_prefix(delimiter.size() - 2);

  std::vector<FormPart> parts;
  while (!body.starts_with("--")) {
    if (!body.starts_with("\r\n")) return broken("a boundary is followed by something else");
    const std::size_t header_end = body.substr(0, kMaxPartHeader).find("\r\n\r\n");
    if (header_end == std::string_view::npos) return broken("a part's header has no end, or is too long");
    if (header_end == 0) return broken("a part has no header");
    auto part = parse_header(body.substr(2, header_end - 2));
    if (!part) return part.error();
    body.remove_prefix(header_end + 4);
    const std::size_t end = body.find(delimiter);
    if (end == std::string_view::npos) return broken("it is cut off");
    part->content = body.substr(0, end);
    body.remove_prefix(end + delimiter.size());
    if (parts.size() == kMaxParts) return broken("it has too many parts");
    parts.push_back(std::move(*part));
  }
  return parts;
}

const FormPart* find_part(const std::vector<FormPart>& parts, std::string_view name) {
  const auto found = std::ranges::find(parts, name, &FormPart::name);
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace flametap::server

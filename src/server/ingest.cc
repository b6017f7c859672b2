#include "server/ingest.h"

#include <algorithm>
#include <string_view>

#include "server/labels.h"

namespace flametap::server {
namespace {

// Agents disagree on the unit: seconds, or thousandths, millionths or thousand millionths of them. Told by the size:
// each range ends in the year 2286.
Nanoseconds time_of(const std::string& text) {
  const std::uint64_t number = whole_number(text).value_or(0);
  if (number < 10'000'000'000) return number * kSecond;
  if (number < 10'000'000'000'000) return number * 1'000'000;
  if (number < 10'000'000'000'000'000) return number * 1000;
  return number;
}

// `a=b,c=d`; what agents keep for themselves begins with two underscores.
std::string own_tags(std::string_view text) {
  std::string tags;
  while (!text.empty()) {
    const std::string_view tag = text.substr(0, text.find(','));
    text.remove_prefix(std::min(tag.size() + 1, text.size()));
    if (!tag.starts_with("__")) tags += std::string(tag) + ",";
  }
  return tags;
}

}  // namespace

Result<Ingest> parse_ingest(const Url& url) {
  const std::string name = url.parameter("name");
  const std::size_t brace = name.find('{');
  if (brace != std::string::npos && !name.ends_with('}'))
    return Error{Failure::usage, "the tags in the name have no end", "name=app.cpu{tag=value,...}"};
  const auto label = parse_label(std::string_view(name).substr(0, brace), "the name");
  if (!label) return label.error();
  if (label->empty()) return Error{Failure::usage, "the name is missing", "name=app.cpu{tag=value,...}"};
  Ingest ingest;
  ingest.label.name = *label;
  if (brace != std::string::npos) {
    auto tags = parse_tags(own_tags(std::string_view(name).substr(brace + 1, name.size() - brace - 2)));
    if (!tags) return tags.error();
    ingest.label.tags = std::move(*tags);
  }
  const Nanoseconds from = time_of(url.parameter("from"));
  const Nanoseconds until = time_of(url.parameter("until"));
  ingest.known.start_unix_ns = from;
  if (until > from) ingest.known.duration_ns = until - from;
  ingest.known.rate_hz = static_cast<double>(whole_number(url.parameter("sampleRate")).value_or(0));
  return ingest;
}

}  // namespace flametap::server

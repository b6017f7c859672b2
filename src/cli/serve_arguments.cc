#include "cli/serve_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string_view>

#include "cli/arguments.h"

namespace flametap::cli {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kLargestUpload = std::uint64_t{1} << 30;

// A number of bytes, perhaps with K, M, G or T behind it.
Result<std::uint64_t> parse_size(const std::string& option, std::string_view word) {
  constexpr std::string_view kUnits = "KMGT";
  unsigned shift = 0;
  std::string_view digits = word;
  if (const std::size_t unit = word.empty() ? kUnits.npos : kUnits.find(word.back()); unit != kUnits.npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    digits.remove_suffix(1);
  }
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  if (!whole || number == 0 || number > (kMost >> shift)) {
    return Error{Failure::usage, fmt::format("'{}' is no size for {}", word, option),
                 "a number of bytes, or with K, M, G or T: 500M"};
  }
  return number << shift;
}

// `ADDRESS:PORT`, an IPv6 address in brackets.
Result<void> parse_listen(const std::string& word, ServeRequest& request) {
  const Error wrong{Failure::usage, fmt::format("'{}' is no address to listen on", word),
                    "ADDRESS:PORT, such as 127.0.0.1:8040 or [::1]:8040"};
  const std::size_t colon = word.rfind(':');
  if (colon == std::string::npos) return wrong;
  const std::string_view port = std::string_view(word).substr(colon + 1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), request.port);
  if (port.empty() || parsed.ec != std::errc() || parsed.ptr != port.data() + port.size()) return wrong;
  request.address = word.substr(0, colon);
  if (request.address == "localhost") request.address = "127.0.0.1";
  const bool in_brackets = request.address.starts_with('[') && request.address.ends_with(']');
  if (in_brackets) request.address = request.address.substr(1, request.address.size() - 2);
  const bool is_v6 = request.address.find(':') != std::string::npos;
  const bool is_number = request.address.find_first_not_of("0123456789abcdefABCDEF:.") == std::string::npos;
  if (request.address.empty() || is_v6 != in_brackets || !is_number) return wrong;
  return {};
}

}  // namespace

void add_serve_options(CLI::App& command, ServeWords& words) {
  ServeRequest& request = words.request;
  command.add_option("--listen", words.listen, "Where [127.0.0.1:8040]; port 0: any that is free")
      ->type_name("ADDR:PORT");
  command.add_option("--host", request.hosts, "A name under which browsers reach it, which may be several")
      ->type_name("NAME");
  command.add_option("--data", request.data, "Where profiles are kept [~/.local/share/flametap]")->type_name("DIR");
  command.add_option("--token-file", request.token_file, "Whoever asks must know what stands in it")->type_name("FILE");
  command.add_flag("--no-auth", request.no_auth, "Let everybody who reaches it do everything");
  command.add_flag("--allow-record", request.allow_record, "Record processes of this machine when asked to");
  command.add_option("--keep-days", words.keep_days, "Remove older profiles [never]")->type_name("N");
  command.add_option("--keep-bytes", words.keep_bytes, "Remove the oldest beyond that [never]")->type_name("SIZE");
  command.add_option("--max-upload", words.max_upload, "Take no larger ones [64M]")->type_name("SIZE");
}

Result<ServeRequest> serve_request(const ServeWords& words) {
  ServeRequest request = words.request;
  if (const auto parsed = parse_listen(words.listen, request); !parsed) return parsed.error();
  if (request.no_auth && !request.token_file.empty())
    return Error{Failure::usage, "either --token-file or --no-auth, not both", ""};
  if (!words.keep_days.empty()) {
    const auto days = parse_count("--keep-days", words.keep_days);
    if (!days) return days.error();
    request.keep_days = *days;
  }
  if (!words.keep_bytes.empty()) {
    const auto bytes = parse_size("--keep-bytes", words.keep_bytes);
    if (!bytes) return bytes.error();
    request.keep_bytes = *bytes;
  }
  if (!words.max_upload.empty()) {
    const auto bytes = parse_size("--max-upload", words.max_upload);
    if (!bytes) return bytes.error();
    if (*bytes > kLargestUpload) return Error{Failure::usage, "--max-upload is at most 1G", ""};
    request.max_upload = *bytes;
  }
  return request;
}

}  // namespace flametap::cli

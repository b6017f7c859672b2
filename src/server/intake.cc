#include "server/intake.h"

#include <optional>
#include <span>
#include <utility>

#include "format/byte_source.h"
#include "format/ftap_chunk.h"
#include "format/ftap_scanner.h"
#include "format/ftap_writer.h"
#include "format/gzip.h"
#include "format/html.h"
#include "format/read_any.h"
#include "format/text.h"
#include "server/labels.h"
#include "server/thumbnail.h"
#include "viewer/page.h"

namespace flametap::server {
namespace {

constexpr std::size_t kLargeBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxCommandBytes = 1000;
constexpr std::size_t kMaxPythonBytes = 40;
constexpr std::size_t kMaxWarningBytes = 1000;

Error too_large(const std::string& what) {
  return Error{Failure::usage, what, "record less at a time, or at a lower rate"};
}

bool is_json(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '{';
}

// How much the chunks unpack to, before any of it is kept.
Result<void> check_plain_size(std::string_view ftap) {
  const format::MemorySource source(std::as_bytes(std::span(ftap)));
  auto scanner = format::FtapScanner::open(source);
  if (!scanner) return scanner.error();
  std::uint64_t plain = 0;
  while (true) {
    const auto found = scanner->next();
    if (!found) return found.error();
    if (!*found) return {};
    plain += scanner->plain().size();
    if (plain > kMaxPlainBytes) return too_large("the recording unpacks to more than 256 MiB");
  }
}

// Without the gzip around it, if there is any.
Result<std::string> unpacked(std::string_view bytes) {
  if (!bytes.starts_with("\x1f\x8b")) return std::string(bytes);
  format::Unpacked plain = format::gunzip(bytes, kMaxPlainBytes);
  if (!plain.damage.empty()) return Error{Failure::usage, "the gzip file cannot be unpacked: " + plain.damage, ""};
  if (plain.content.starts_with("\x1f\x8b")) return Error{Failure::usage, "it is compressed twice", ""};
  return std::move(plain.content);
}

Result<format::ReadProfile> read(std::string_view bytes) {
  const bool is_ftap = format::looks_like_ftap(bytes);
  if (is_ftap) {
    if (const auto checked = check_plain_size(bytes); !checked) return checked.error();
  } else if (is_json(bytes) && bytes.size() > kMaxJsonBytes) {
    return Error{Failure::usage, "JSON of more than 32 MiB is not read here", "send the recording as ftap"};
  }
  auto read = format::read_any_text(bytes, {.keep_time = !is_ftap, .max_rows = kMaxRows});
  if (!read) return read.error();
  if (read->profile.stack_count() >= kMaxRows || read->profile.samples().size() >= kMaxRows)
    return too_large("the profile has more than " + format::with_commas(kMaxRows) + " stacks or samples");
  if (read->profile.samples().empty()) return Error{Failure::usage, "there is no sample in it", ""};
  return read;
}

// The program of a command line, without the Python that runs it: "shop" of "/usr/bin/python3 -u shop.py --fast".
std::string program_of(std::string_view command) {
  std::string first;
  while (!command.empty()) {
    const std::string_view word = command.substr(0, command.find(' '));
    command.remove_prefix(std::min(word.size() + 1, command.size()));
    const std::string_view base = format::base_name(word);
    if (first.empty()) first = base;
    if (base.empty() || word.starts_with('-') || base.starts_with("python")) continue;
    return std::string(base);
  }
  return first.empty() ? "profile" : first;
}

void apply(const Known& known, profile::Recording& recording) {
  if (known.start_unix_ns != 0) recording.start_unix_ns = known.start_unix_ns;
  if (known.duration_ns != 0) recording.duration_ns = known.duration_ns;
  if (known.rate_hz != 0) recording.rate_hz = known.rate_hz;
}

}  // namespace

void describe(const profile::Profile& profile, store::Entry& entry) {
  if (!profile.processes().empty()) {
    entry.command = shown_text(profile.processes().front().command, kMaxCommandBytes);
    entry.python = shown_text(profile.processes().front().python, kMaxPythonBytes);
  }
  entry.mode = profile::name(profile.recording.mode);
  entry.rate_hz = profile.recording.rate_hz;
  entry.start_unix_ns = profile.recording.start_unix_ns;
  entry.duration_ns = profile.recording.duration_ns;
  entry.samples = profile.total_ticks() > 0 ? profile.total_ticks() : profile.samples().size();
  if (entry.name.empty()) entry.name = shown_text(program_of(entry.command), kMaxLabelBytes);
}

Result<Prepared> Intake::prepare(std::string_view bytes, const Label& label, const Known& known) {
  std::optional<std::lock_guard<std::mutex>> one_at_a_time;
  // What is compressed may be small and become large.
  if (bytes.size() > kLargeBytes || bytes.starts_with("\x1f\x8b") || format::looks_like_ftap(bytes))
    one_at_a_time.emplace(large_);
  return convert(bytes, label, known);
}

Result<Prepared> Intake::convert(std::string_view bytes, const Label& label, const Known& known) {
  auto plain = unpacked(bytes);
  if (!plain) return plain.error();
  const bool is_page = format::looks_like_html(*plain);
  const bool is_pair = is_page && viewer::recording_count(*plain) > 1;
  // A page holds a recording: that is what is kept, and what the limits are for.
  if (is_page) {
    if (auto recording = viewer::first_recording(*plain)) *plain = std::move(*recording);
  }
  auto read_profile = read(*plain);
  if (!read_profile) return read_profile.error();
  profile::Profile& profile = read_profile->profile;
  std::vector<std::string> warnings;
  for (const std::string& warning : read_profile->warnings) warnings.push_back(shown_text(warning, kMaxWarningBytes));
  if (is_pair) warnings.emplace_back(format::kOnlyTheFirstIsRead);
  apply(known, profile.recording);
  const auto id = store::ProfileId::random();
  if (!id) return id.error();
  Prepared prepared{
      {.id = *id, .name = label.name, .host = label.host, .tags = label.tags}, {}, {}, std::move(warnings)};
  describe(profile, prepared.entry);
  prepared.thumbnail = thumbnail(profile);
  prepared.ftap = format::looks_like_ftap(*plain) ? std::move(*plain) : format::write_ftap(profile);
  prepared.entry.bytes = prepared.ftap.size();
  return prepared;
}

Result<void> Intake::keep(const Prepared& prepared) {
  store::Entry entry = prepared.entry;
  entry.uploaded_unix_ns = unix_now();
  auto added = store_.add(entry, prepared.ftap, prepared.thumbnail);
  if (!added) {
    // On a full disk, old ones that may go make room.
    const auto cleaned = store_.clean(retention_, unix_now());
    if (!cleaned || *cleaned == 0) return added.error();
    added = store_.add(entry, prepared.ftap, prepared.thumbnail);
    if (!added) return added.error();
  }
  // It is there: that old ones could not go is no reason to send it again.
  (void)store_.clean(retention_, unix_now());
  return {};
}

}  // namespace flametap::server

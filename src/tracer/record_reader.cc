#include "tracer/record_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "cpython/text.h"

namespace flametap::tracer {
namespace {

using events::Kind;

// A target may make up names without end.
constexpr std::size_t kMaxTextBytes = std::size_t{512} << 20;
constexpr std::string_view kTooManyNames = "(too many names)";
constexpr std::string_view kUnread = "?";
// Far more than can have events on their way to be shown.
constexpr std::size_t kMaxGoneThreads = 65536;

constexpr std::size_t kCutText = FLAMETAP_TEXT_LIMIT - 1;

std::optional<Kind> kind_of(std::uint8_t kind) {
  switch (kind) {
    case FLAMETAP_CALL:
      return Kind::call;
    case FLAMETAP_CALL_END:
      return Kind::call_end;
    case FLAMETAP_LINE:
      return Kind::line;
    case FLAMETAP_GC_START:
      return Kind::gc_start;
    case FLAMETAP_GC_DONE:
      return Kind::gc_done;
    case FLAMETAP_IMPORT_START:
      return Kind::import_start;
    case FLAMETAP_IMPORT_DONE:
      return Kind::import_done;
    case FLAMETAP_AUDIT:
      return Kind::audit;
    case FLAMETAP_THREAD_END:
      return Kind::thread_end;
    default:
      return std::nullopt;
  }
}

bool has_a_name(Kind kind) { return kind == Kind::import_start || kind == Kind::import_done || kind == Kind::audit; }

bool has_a_function(Kind kind) { return kind == Kind::call || kind == Kind::call_end || kind == Kind::line; }

// Without the part of a character at its end.
std::string_view without_half_character(std::string_view text) {
  std::size_t continuations = 0;
  while (continuations < text.size() && continuations < 4 &&
         (static_cast<unsigned char>(text[text.size() - 1 - continuations]) & 0xC0) == 0x80)
    ++continuations;
  if (continuations == text.size()) return text;
  const auto lead = static_cast<unsigned char>(text[text.size() - 1 - continuations]);
  const std::size_t wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  return continuations < wanted ? text.substr(0, text.size() - 1 - continuations) : text;
}

std::string mended(std::string_view text) {
  const bool cut = text.size() == kCutText;
  if (cut) text = without_half_character(text);
  std::string valid = cpython::utf8_from_bytes(std::as_bytes(std::span{text}));
  if (cut) valid += "…";
  return valid;
}

}  // namespace

std::string_view RecordReader::text(std::string_view bytes) {
  const auto found = texts_.find(bytes);
  if (found) return valid_[static_cast<std::size_t>(*found)];
  if (text_bytes_ + bytes.size() > kMaxTextBytes) return kTooManyNames;
  text_bytes_ += bytes.size();
  const TextId id = texts_.intern(bytes);
  std::string valid = mended(bytes);
  valid_.push_back(valid == bytes ? std::string_view(texts_[id]) : mended_.emplace_back(std::move(valid)));
  return valid_.back();
}

void RecordReader::put_away(std::unique_ptr<events::Thread> thread) {
  gone_.push_back(std::move(thread));
  if (gone_.size() > kMaxGoneThreads) gone_.pop_front();
}

void RecordReader::forget(const flametap_record& header) {
  const auto known = threads_.find(std::uint64_t{header.pid} << 32 | header.tid);
  if (known == threads_.end()) return;
  put_away(std::move(known->second.thread));
  threads_.erase(known);
}

void RecordReader::replace_thread(Known& known, const flametap_record& header, std::string program) {
  if (known.thread) put_away(std::move(known.thread));
  known.thread = std::make_unique<events::Thread>();
  known.thread->pid = static_cast<pid_t>(header.pid);
  known.thread->tid = static_cast<pid_t>(header.tid);
  known.thread->program = program.empty() ? "python" : std::move(program);
}

RecordReader::Known& RecordReader::known(const flametap_record& header) {
  Known& known = threads_[std::uint64_t{header.pid} << 32 | header.tid];
  // Its introduction was lost.
  if (!known.thread) replace_thread(known, header, "");
  return known;
}

void RecordReader::count_record(Known& known, const flametap_record& header) {
  const std::uint32_t missing = header.sequence - known.next_sequence;
  // What was captured was for an event that is among them.
  if (missing > 0) known.arguments.clear();
  known.lost += missing;
  known.next_sequence = header.sequence + 1;
}

void RecordReader::introduce(const flametap_record& header, std::string_view program) {
  Known& known = threads_[std::uint64_t{header.pid} << 32 | header.tid];
  replace_thread(known, header, mended(program));
  known.next_sequence = header.sequence + 1;
  known.lost = 0;
  known.arguments.clear();
  newcomers_.push_back(
      {known.thread.get(), {.started = static_cast<std::uint64_t>(header.value), .tid = header.tid, .reserved = 0}});
}

std::vector<RecordReader::Newcomer> RecordReader::take_newcomers() { return std::exchange(newcomers_, {}); }

// What an audit event tells is captured right before it.
void RecordReader::keep_capture(std::span<const std::byte> record, const flametap_record& header) {
  Known& thread = known(header);
  count_record(thread, header);
  thread.arguments.clear();
  flametap_capture capture{};
  constexpr std::size_t head = offsetof(flametap_capture, pieces);
  const auto count = static_cast<std::uint64_t>(header.value);
  if (count > FLAMETAP_PIECES || record.size() != head + count * sizeof(flametap_piece)) {
    ++bad_;
    return;
  }
  std::memcpy(&capture, record.data(), record.size());
  for (flametap_piece& piece : capture.pieces) piece.size = std::min<std::uint64_t>(piece.size, sizeof piece.bytes);
  thread.arguments = target_.describe(thread.thread->pid, capture);
}

void RecordReader::name(events::Event& event, const flametap_record& header, std::string_view texts) {
  const auto take = [&](flametap_text which, bool expected) -> std::string_view {
    const std::string_view bytes = texts.substr(0, header.text_sizes[which]);
    texts.remove_prefix(bytes.size());
    if (!bytes.empty()) return text(bytes);
    return expected && (header.flags & FLAMETAP_UNREAD) != 0 ? kUnread : std::string_view{};
  };
  event.file = take(FLAMETAP_FILE, has_a_function(event.kind));
  event.function = take(FLAMETAP_FUNCTION, has_a_function(event.kind));
  event.name = take(FLAMETAP_NAME, has_a_name(event.kind));
  if (event.kind == Kind::audit && event.name == kUnread) {
    const std::string constant = target_.read_constant(event.thread->pid, static_cast<std::uint64_t>(header.value));
    if (!constant.empty()) event.name = text(constant);
  }
  if (event.file == kUnread || event.function == kUnread || event.name == kUnread) ++unnamed_;
}

std::span<events::Event> RecordReader::read(std::span<const std::byte> record) {
  flametap_record header;
  if (record.size() < sizeof header) return ++bad_, std::span<events::Event>{};
  std::memcpy(&header, record.data(), sizeof header);
  if (header.kind == FLAMETAP_CAPTURE) {
    keep_capture(record, header);
    return {};
  }
  const std::string_view texts{reinterpret_cast<const char*>(record.data()) + sizeof header,
                               record.size() - sizeof header};
  std::size_t text_size = 0;
  for (const std::uint16_t size : header.text_sizes) text_size += size;
  if (text_size > texts.size()) return ++bad_, std::span<events::Event>{};
  if (header.kind == FLAMETAP_THREAD) {
    introduce(header, texts.substr(0, header.text_sizes[FLAMETAP_FILE]));
    return {};
  }
  const auto kind = kind_of(header.kind);
  if (!kind) return ++bad_, std::span<events::Event>{};

  Known& thread = known(header);
  count_record(thread, header);
  events::Event& event = events_[0];
  event.kind = *kind;
  event.unmarked = false;
  event.time = header.time;
  event.thread = thread.thread.get();
  event.depth = header.depth;
  // Of what ends, the line of the function around it says nothing.
  event.line = *kind == Kind::import_done || *kind == Kind::gc_done ? 0 : header.line;
  event.value = *kind == Kind::audit ? 0 : header.value;
  event.arguments = *kind == Kind::audit ? std::exchange(thread.arguments, {}) : std::string();
  event.lost = std::exchange(thread.lost, 0);
  name(event, header, texts);
  if (*kind == Kind::thread_end) forget(header);
  if ((header.flags & FLAMETAP_UNMARKED) == 0 || *kind != Kind::call_end) return {events_.data(), 1};
  events_[1] = event;
  events_[1].lost = 0;
  event.kind = Kind::call;
  event.unmarked = true;
  return {events_.data(), 2};
}

}  // namespace flametap::tracer

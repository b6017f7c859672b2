// Records that no kernel would send: cut short, of any kind, with any sizes, numbers and texts. Reading them must stay
// within their bytes and give events that are well formed, and whatever the reader counts must add up.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cpython/text.h"
#include "input.h"
#include "tracer/record_reader.h"

namespace flametap::tracer {
namespace {

class Liar : public RecordReader::Target {
 public:
  std::string describe(pid_t, const flametap_capture& capture) override {
    for (const flametap_piece& piece : capture.pieces) {
      if (piece.size > sizeof piece.bytes) std::abort();
    }
    return "(captured)";
  }
  std::string read_constant(pid_t, std::uint64_t address) override { return address % 2 == 0 ? "" : "\xFF constant"; }
};

// Only what is no UTF-8 is changed by this.
bool is_valid(std::string_view text) { return cpython::utf8_from_bytes(std::as_bytes(std::span(text))) == text; }

void check(const events::Event& event) {
  if (event.thread == nullptr || event.thread->program.empty() || !is_valid(event.thread->program)) std::abort();
  if (!is_valid(event.file) || !is_valid(event.function) || !is_valid(event.name)) std::abort();
  if (!event.arguments.empty() && event.kind != events::Kind::audit) std::abort();
  if (event.unmarked && event.kind != events::Kind::call) std::abort();
}

flametap_record header_from(Input& input) {
  flametap_record header{};
  header.time = input.next(65536);
  header.pid = static_cast<std::uint32_t>(input.next(3));
  header.tid = static_cast<std::uint32_t>(input.next(3));
  header.sequence = static_cast<std::uint32_t>(input.next(65536)) - 8;
  header.kind = static_cast<std::uint8_t>(input.next(FLAMETAP_THREAD_END + 2));
  header.flags = static_cast<std::uint8_t>(input.next(4));
  header.value = static_cast<std::int64_t>(input.next(FLAMETAP_PIECES + 3)) - 1;
  for (auto& size : header.text_sizes) size = static_cast<std::uint16_t>(input.next(65536));
  return header;
}

// What follows a header: often as much as it says, else anything.
std::size_t rest_after(const flametap_record& header, Input& input) {
  if (input.next(4) == 0) return input.next(4 * FLAMETAP_TEXT_LIMIT);
  if (header.kind == FLAMETAP_CAPTURE)
    return offsetof(flametap_capture, pieces) - sizeof header +
           static_cast<std::size_t>(header.value + 1) * sizeof(flametap_piece);
  std::size_t size = 0;
  for (const std::uint16_t text : header.text_sizes) size += text;
  return size;
}

void read_everything(Input& input) {
  Liar target;
  RecordReader reader(target);
  while (!input.empty()) {
    flametap_record header = header_from(input);
    if (input.next(8) != 0) {
      for (auto& size : header.text_sizes) size = static_cast<std::uint16_t>(size % (FLAMETAP_TEXT_LIMIT + 1));
    }
    std::vector<std::byte> record(sizeof header + rest_after(header, input),
                                  std::byte(static_cast<unsigned char>(input.next(256))));
    std::memcpy(record.data(), &header, sizeof header);
    for (std::size_t i = sizeof header; i < record.size() && i < sizeof header + 16; ++i)
      record[i] = std::byte(static_cast<unsigned char>(input.next(256)));
    if (input.next(8) == 0) record.resize(input.next(record.size()));
    record.shrink_to_fit();  // so that one byte too many is noticed
    const std::uint64_t bad = reader.bad();
    const auto events = reader.read(record);
    if (events.size() > 2 || reader.bad() > bad + 1 || (reader.bad() > bad && !events.empty())) std::abort();
    for (const events::Event& event : events) check(event);
    for (const auto& newcomer : reader.take_newcomers()) {
      if (newcomer.thread->program.empty()) std::abort();
    }
  }
}

}  // namespace
}  // namespace flametap::tracer

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flametap::Input input(std::as_bytes(std::span(data, size)));
  flametap::tracer::read_everything(input);
  return 0;
}

// One JSON object a line: for programs. docs/formats/trace.md has it field by field.
#include <string_view>

#include "format/json_text.h"
#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::Event;
using events::Kind;

std::string_view event_name(Kind kind) {
  switch (kind) {
    case Kind::call:
      return "call";
    case Kind::call_end:
      return "return";
    case Kind::line:
      return "line";
    case Kind::gc_start:
      return "gc_start";
    case Kind::gc_done:
      return "gc_done";
    case Kind::import_start:
      return "import_start";
    case Kind::import_done:
      return "import_done";
    case Kind::audit:
      return "audit";
    case Kind::thread_end:
      return "thread_end";
  }
  return "";
}

template <typename Number>
void append_member(std::string_view key, Number number, std::string& out) {
  out.append(key);
  append_number(number, out);
}

void append_text_member(std::string_view key, std::string_view text, std::string& out) {
  out.append(key);
  append_quoted(text, out);
}

void append_own_members(const Event& event, std::string& out) {
  switch (event.kind) {
    case Kind::gc_start:
      append_member(",\"generation\":", event.value, out);
      break;
    case Kind::gc_done:
      append_member(",\"collected\":", event.value, out);
      break;
    case Kind::import_start:
      append_text_member(",\"module\":", event.name, out);
      break;
    case Kind::import_done:
      append_text_member(",\"module\":", event.name, out);
      out.append(event.value != 0 ? ",\"found\":true" : ",\"found\":false");
      break;
    case Kind::audit:
      append_text_member(",\"name\":", event.name, out);
      append_text_member(",\"arguments\":", event.arguments, out);
      break;
    default:
      break;
  }
}

class TraceJsonl final : public TraceView {
 public:
  void add(const Event& event, std::string& out) override {
    append_member("{\"time_ns\":", event.time, out);
    append_member(",\"pid\":", event.thread->pid, out);
    append_member(",\"tid\":", event.thread->tid, out);
    out.append(",\"event\":\"").append(event_name(event.kind)).append("\"");
    if (!event.file.empty()) append_text_member(",\"file\":", event.file, out);
    if (!event.function.empty()) append_text_member(",\"function\":", event.function, out);
    if (event.line > 0) append_member(",\"line\":", event.line, out);
    append_own_members(event, out);
    if (event.kind != Kind::thread_end) append_member(",\"depth\":", event.depth, out);
    if (event.lost > 0) append_member(",\"lost\":", event.lost, out);
    if (event.unmarked) out.append(",\"unmarked\":true");
    out.append("}\n");
  }

  void finish(const events::Ending& ending, std::string& out) override {
    append_member("{\"event\":\"end\",\"began_ns\":", ending.began, out);
    append_member(",\"ended_ns\":", ending.ended, out);
    append_member(",\"events\":", ending.events, out);
    append_member(",\"lost\":", ending.lost, out);
    append_member(",\"out_of_order\":", ending.out_of_order, out);
    append_member(",\"unnamed\":", ending.unnamed, out);
    out.append("}\n");
  }
};

}  // namespace

std::unique_ptr<TraceView> make_trace_jsonl() { return std::make_unique<TraceJsonl>(); }

}  // namespace flametap::format

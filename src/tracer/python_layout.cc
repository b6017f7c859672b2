#include "tracer/python_layout.h"

#include "cpython/code_cache.h"
#include "tracer/abilities.h"

namespace flametap::tracer {
namespace {

using cpython::FrameLink;
using cpython::GilKind;
using cpython::Layout;

static_assert(FLAMETAP_ABSENT == cpython::kAbsent);

flametap_frame_link frame_link_of(const Layout& layout) {
  switch (layout.frame_link) {
    case FrameLink::frame_object:
      return FLAMETAP_FRAME_OBJECT;
    case FrameLink::cframe:
      return FLAMETAP_CFRAME;
    case FrameLink::interpreter_frame:
      break;
  }
  return FLAMETAP_INTERPRETER_FRAME;
}

void describe_threads(const cpython::Interpreter& interpreter, flametap_python_layout& result) {
  const Layout& layout = interpreter.layout;
  const bool one_gil = layout.gil_kind == GilKind::current_thread_field;
  const bool many_gils = layout.gil_kind == GilKind::per_interpreter && !layout.free_threaded;
  result.runtime = to_number(interpreter.runtime);
  result.current_thread = one_gil ? to_number(interpreter.current_thread) : 0;
  result.interpreters_head = layout.runtime.interpreters_head;
  result.interpreter_next = layout.interpreter.next;
  result.interpreter_threads_head = layout.interpreter.threads_head;
  result.interpreter_gil = many_gils ? layout.interpreter.gil : FLAMETAP_ABSENT;
  result.gil_holder = layout.gil.holder;
  result.gil_locked = layout.gil.locked;
  result.thread_next = layout.thread.next;
  result.thread_id = layout.thread.thread_id;
  result.thread_frame = layout.thread.frame;
}

void describe_frames(const Layout& layout, flametap_python_layout& result) {
  result.frame_link = frame_link_of(layout);
  result.first_shim_owner = layout.first_shim_owner;
  result.cframe_current_frame = layout.cframe.current_frame;
  result.frame_previous = layout.frame.previous;
  result.frame_code = layout.frame.code;
  result.frame_instruction = layout.frame.instruction;
  result.frame_owner = layout.frame.owner;
  result.code_tag_mask = layout.code_tag_mask;
  result.code_flags = layout.code.flags;
  result.code_first_line = layout.code.first_line;
  result.code_unique_version = layout.code.unique_version;
  result.code_name = layout.code.name;
  result.code_qualname = layout.code.qualname;
  result.code_filename = layout.code.filename;
  result.code_line_table = layout.code.line_table;
  result.code_instructions = layout.code.instructions;
}

void describe_objects(const Layout& layout, flametap_python_layout& result) {
  result.text_length = layout.text.length;
  result.text_state = layout.text.state;
  result.text_kind_shift = layout.text.kind_shift;
  result.text_ascii_data = layout.text.ascii_data;
  result.text_compact_data = layout.text.compact_data;
  result.text_separate_data = layout.text.separate_data;
  result.object_type = layout.object.type;
  result.type_flags = layout.type.flags;
  result.bytes_length = layout.bytes.length;
  result.bytes_data = layout.bytes.data;
  result.tuple_length = layout.tuple.length;
  result.tuple_items = layout.tuple.items;
  result.list_length = layout.list.length;
  result.list_items = layout.list.items;
  result.flag_tuple = layout.type_flag.tuple;
  result.flag_list = layout.type_flag.list;
  result.flag_text = layout.type_flag.text;
  result.flag_bytes = layout.type_flag.bytes;
}

}  // namespace

Result<flametap_python_layout> python_layout(const cpython::Interpreter& interpreter) {
  if (interpreter.layout.gil_kind == GilKind::current_thread_variable) {
    return Error{Failure::not_python, "events need Python 3.7 or newer, this is " + to_string(interpreter.version), ""};
  }
  flametap_python_layout result{};
  describe_threads(interpreter, result);
  describe_frames(interpreter.layout, result);
  describe_objects(interpreter.layout, result);
  if (marks_more_than_calls(interpreter.version) && result.code_flags != FLAMETAP_ABSENT) {
    result.creation_flags = cpython::kGeneratorCode;
    result.silent_flags = cpython::kSilentCode;
  }
  return result;
}

}  // namespace flametap::tracer

// Layout: where CPython of one version keeps what the walker needs. All that differs between versions is data here:
// offsets and a few traits. Code asks the layout, never the version; only layout_table.cc compares versions.
//
// Names are ours, one for each role, so that a field means the same in every version: `thread.frame` is the word that
// leads to the innermost frame, whatever CPython calls it in that version.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "cpython/version.h"

namespace flametap::cpython {

using Offset = std::uint32_t;

inline constexpr Offset kAbsent = 0xffff'ffff;  // this version has no such field

// What thread.frame points to.
enum class FrameLink : std::uint8_t {
  frame_object,       // 2.7-3.10: the innermost PyFrameObject, a heap object; f_back links them
  cframe,             // 3.11-3.12: a _PyCFrame on the C stack, which points to the innermost _PyInterpreterFrame
  interpreter_frame,  // 3.13+: the innermost _PyInterpreterFrame
};

// What frame.instruction holds.
enum class InstructionKind : std::uint8_t {
  byte_index,    // 2.7-3.9: f_lasti, bytes from the start of co_code
  unit_index,    // 3.10: f_lasti, code units of two bytes
  unit_pointer,  // 3.11+: address inside the code object
};

enum class LineTableKind : std::uint8_t {
  lnotab_unsigned,  // 2.7: line increments are unsigned
  lnotab_signed,    // 3.6-3.9
  ranges,           // 3.10: co_linetable of (delta, signed line delta)
  locations,        // 3.11+: co_linetable of location entries
};

enum class TextKind : std::uint8_t {
  bytes,    // 2.7: names and files are str, that is bytes
  unicode,  // 3.x: PEP 393
};

// Where to read which thread holds the GIL.
enum class GilKind : std::uint8_t {
  current_thread_variable,  // 2.7, 3.6: the exported variable _PyThreadState_Current
  current_thread_field,     // 3.7-3.11: _PyRuntime, at runtime.current_thread
  per_interpreter,          // 3.12+: interpreter.gil points to a struct with gil.holder and gil.locked
};

// How a dictionary keeps its items.
enum class DictKind : std::uint8_t {
  open_table,      // 2.7: dict.keys is a hash table of entries; dict.mask is its size less one
  sized_keys,      // 3.6-3.10: dict.keys begins with sizes as words, then indices, then entries in order
  log_sized_keys,  // 3.11+: the same with logarithms in bytes; entries of text keys hold no hash
};

// Where an object that has attributes keeps them.
enum class AttributesKind : std::uint8_t {
  dict_pointer,    // 2.7-3.10: in a dictionary, at type.dict_offset
  two_pointers,    // 3.11: as before, or in front of the object: a pointer to values and one to a dictionary
  tagged_pointer,  // 3.12: as before, or one pointer in front, whose lowest bit tells values from a dictionary
  inline_values,   // 3.13+: as before, or a pointer to a dictionary in front and values behind the object
};

enum class IntegerKind : std::uint8_t {
  machine_word,   // 2.7: int, a C long
  sized_digits,   // 3.6-3.11: integer.size digits of 30 bits, negative for a negative number
  tagged_digits,  // 3.12+: integer.size >> 3 digits; its two lowest bits are the sign, 0 for positive
};

// The C function that runs Python code.
enum class Evaluator : std::uint8_t {
  eval_frame_ex,       // 2.7: PyEval_EvalFrameEx
  eval_frame_default,  // 3.6+: _PyEval_EvalFrameDefault
};

struct Layout {
  Version version;  // in the table: the first version whose structs these are
  // A build with Py_TRACE_REFS, as every debug build up to 3.7: all objects begin with two more words.
  bool trace_refs = false;
  bool free_threaded = false;
  bool exact = true;  // false: a newer minor than we know, taken from its self-description

  FrameLink frame_link = FrameLink::frame_object;
  InstructionKind instruction_kind = InstructionKind::byte_index;
  LineTableKind line_table_kind = LineTableKind::lnotab_signed;
  TextKind text_kind = TextKind::unicode;
  GilKind gil_kind = GilKind::current_thread_variable;
  DictKind dict_kind = DictKind::sized_keys;
  AttributesKind attributes_kind = AttributesKind::dict_pointer;
  IntegerKind integer_kind = IntegerKind::sized_digits;
  Evaluator evaluator = Evaluator::eval_frame_default;
  // 3.14+ tags the low bits of frame.code (set: the frame holds no reference of its own); clear these.
  std::uint64_t code_tag_mask = 0;
  // 3.12+: a frame with owner >= this value is a shim that the C code pushes, without Python code. 255: none.
  std::uint8_t first_shim_owner = 255;
  [[nodiscard]] bool has_shims() const { return first_shim_owner != 255; }

  struct Runtime {
    Offset interpreters_head = 0;  // 2.7, 3.6: 0, the "runtime" is the variable interp_head itself
    Offset current_thread = kAbsent;
    Offset gc = kAbsent;   // 3.7, 3.8: the state of the collector, see Gc
    Offset gil = kAbsent;  // 3.7 to 3.11: the GIL itself, see Gil
  } runtime;
  struct Interpreter {
    Offset size = 0;  // how much to read for all the fields below
    Offset next = 0;
    Offset id = kAbsent;
    Offset threads_head = 0;
    Offset modules = kAbsent;  // sys.modules
    Offset gil = kAbsent;      // pointer to the GIL that this interpreter uses
    Offset gc = kAbsent;       // 3.9+: the state of the collector, see Gc
  } interpreter;
  struct Gil {
    Offset holder = kAbsent;  // the thread that holds it, or held it last
    Offset locked = kAbsent;  // int
    Offset size = kAbsent;    // of the struct, with the condition variable on which threads wait for it
  } gil;
  struct Gc {                     // relative to runtime.gc or interpreter.gc; 2.7 and 3.6 keep it in C statics
    Offset collecting = kAbsent;  // int: a collection runs
  } gc;
  struct Thread {
    Offset size = 0;
    Offset next = 0;
    Offset interpreter = 0;
    Offset frame = 0;                   // see FrameLink
    Offset cframe = kAbsent;            // 3.10-3.12: the innermost CFrame, a variable of the C function that evaluates
    Offset thread_id = 0;               // pthread_self()
    Offset native_thread_id = kAbsent;  // 3.11+: gettid(), in the target's own pid namespace
    Offset stack_chunk = kAbsent;       // 3.11+: the newest _PyStackChunk
    Offset stack_top = kAbsent;         // 3.11+: end of the used part of that chunk
  } thread;
  struct CFrame {
    Offset current_frame = kAbsent;
    Offset previous = kAbsent;
  } cframe;
  struct StackChunk {  // 3.11+
    Offset previous = kAbsent;
    Offset size = kAbsent;
    Offset top = kAbsent;
    Offset data = kAbsent;
  } stack_chunk;
  struct Frame {
    Offset size = 0;      // how much to read for all the fields below; not the locals
    Offset previous = 0;  // towards the caller
    Offset code = 0;
    Offset instruction = 0;     // see InstructionKind
    Offset owner = kAbsent;     // 3.11+: char
    Offset is_entry = kAbsent;  // 3.11: bool
    Offset state = kAbsent;     // 3.10: signed char, -1 if it is a generator that does not run
  } frame;
  struct Code {
    Offset size = 0;  // how much to read for all the fields below; not the instructions themselves
    Offset name = 0;
    Offset qualname = kAbsent;  // 3.11+
    Offset filename = 0;
    Offset first_line = 0;  // int
    Offset flags = 0;       // int: what inspect calls CO_GENERATOR and so on
    Offset line_table = 0;
    Offset instructions = kAbsent;    // 3.11+: the code units, inside the code object
    Offset unit_count = kAbsent;      // 3.11+: Py_ssize_t, how many code units there are
    Offset unique_version = kAbsent;  // 3.12+: uint32, never given twice (0: ran out)
  } code;
  struct Object {
    Offset type = 0;
  } object;
  struct Type {
    Offset name = 0;  // const char*
    Offset flags = kAbsent;
    Offset basic_size = kAbsent;
    Offset dict_offset = kAbsent;
    Offset dict = kAbsent;         // of the type itself; its methods, its __module__ if Python code made it
    Offset shared_keys = kAbsent;  // 3.11+: of the attributes that instances keep as values, see AttributesKind
  } type;
  struct TypeFlag {  // masks for type.flags; 0: no such type
    std::uint32_t integer = 0;
    std::uint32_t text = 0;  // what names are, see TextKind
    std::uint32_t dict = 0;
    std::uint32_t tuple = 0;
    std::uint32_t list = 0;
    std::uint32_t bytes = 0;          // 3.6+
    std::uint32_t allocated = 0;      // e.g. a class; else a static struct of C code, which is never freed
    std::uint32_t managed_dict = 0;   // 3.11+: the attributes are in front of the object
    std::uint32_t inline_values = 0;  // 3.13+: or behind it
  } type_flag;
  struct Dict {  // see DictKind
    Offset keys = kAbsent;
    Offset mask = kAbsent;    // 2.7
    Offset values = kAbsent;  // 3.6+: pointer to the values of a dictionary that shares its keys with others; else null
  } dict;
  struct DictKeys {  // 3.6+
    Offset size = kAbsent;
    Offset index_bytes = kAbsent;  // 3.11+
    Offset kind = kAbsent;         // 3.11+: byte; 0: entries with hashes
    Offset entry_count = kAbsent;
    Offset indices = kAbsent;  // entries follow them
  } dict_keys;
  struct DictValues {           // 3.6+
    Offset capacity = kAbsent;  // 3.13+: byte
    Offset valid = kAbsent;     // 3.13+: byte; 0: a dictionary has them now
    Offset first = kAbsent;
  } dict_values;
  struct BeforeObject {     // 3.11+: distances backwards from an object, see AttributesKind
    Offset dict = kAbsent;  // 3.12: or values
    Offset values = kAbsent;
  } before_object;
  struct Integer {  // see IntegerKind
    Offset size = kAbsent;
    Offset digits = kAbsent;
  } integer;
  struct Floating {
    Offset value = kAbsent;  // double
  } floating;
  struct Tuple {
    Offset length = kAbsent;
    Offset items = kAbsent;  // the first of them
  } tuple;
  struct List {
    Offset length = kAbsent;
    Offset items = kAbsent;  // pointer to the first of them
  } list;
  struct ByteString {
    Offset length = 0;
    Offset data = 0;
  } bytes;
  struct Text {  // PEP 393
    Offset length = 0;
    Offset state = 0;
    std::uint8_t kind_shift = 2;  // state >> kind_shift & 7 is the bytes per character; then compact, then ascii
    Offset ascii_data = 0;
    Offset compact_data = 0;
    Offset separate_data = 0;  // pointer to the characters of a string that is not compact
  } text;
};

// Fills in the sizes, which follow from the fields.
[[nodiscard]] constexpr Layout with_sizes(Layout layout) {
  // No field is wider than a word, and none crosses one.
  constexpr auto end_of = [](std::initializer_list<Offset> fields) {
    Offset last = 0;
    for (const Offset field : fields) {
      if (field != kAbsent) last = std::max(last, field);
    }
    return (last / 8 + 1) * 8;
  };
  Layout::Interpreter& interpreter = layout.interpreter;
  const Offset collecting = interpreter.gc == kAbsent ? kAbsent : interpreter.gc + layout.gc.collecting;
  interpreter.size = end_of({interpreter.next, interpreter.id, interpreter.threads_head, interpreter.gil, collecting});
  Layout::Thread& thread = layout.thread;
  thread.size = end_of({thread.next, thread.interpreter, thread.frame, thread.cframe, thread.thread_id,
                        thread.native_thread_id, thread.stack_chunk, thread.stack_top});
  Layout::Frame& frame = layout.frame;
  frame.size = end_of({frame.previous, frame.code, frame.instruction, frame.owner, frame.is_entry, frame.state});
  Layout::Code& code = layout.code;
  code.size = end_of({code.name, code.qualname, code.filename, code.first_line, code.line_table, code.unit_count,
                      code.unique_version});
  return layout;
}

}  // namespace flametap::cpython

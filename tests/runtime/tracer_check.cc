// Asks src/tracer directly, for tests of real interpreters: what it makes of a process's memory.
//
//   tracer_check objects    stdin: a pid, then addresses of objects; prints each object's text on a line
//   tracer_check innermost  stdin: a pid and the ident of a thread that holds the GIL; prints the name, first line and
//                           flags of the function that it is in, found as src/bpf/python_layout.h says
#include <cstdint>
#include <iostream>
#include <string_view>

#include "cpython/interpreter.h"
#include "cpython/text.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "tracer/object_text.h"
#include "tracer/python_layout.h"

namespace {

using namespace flametap;
using target::Address;

int fail(const Error& error) {
  std::cerr << error.message << '\n';
  return 1;
}

int print_objects(target::Memory& memory, const cpython::Interpreter& found) {
  tracer::TypeNames types(memory, found.layout);
  for (std::uint64_t object = 0; std::cin >> object;) {
    std::cout << tracer::object_text(memory, types, found.layout, Address{object}) << '\n';
  }
  return 0;
}

// A program in the kernel, as it were: knows nothing but the layout that is made for those.
class Walk {
 public:
  Walk(target::Memory& memory, const flametap_python_layout& layout) : memory_(memory), layout_(layout) {}

  std::uint64_t word(std::uint64_t at) {
    std::uint64_t value = 0;
    (void)memory_.read_value(Address{at}, value);
    return value;
  }

  std::uint64_t thread_state(std::uint64_t ident) {
    if (layout_.current_thread != 0) return word(layout_.current_thread);
    std::uint64_t interpreter = word(layout_.runtime + layout_.interpreters_head);
    for (; interpreter != 0; interpreter = word(interpreter + layout_.interpreter_next)) {
      std::uint64_t thread = word(interpreter + layout_.interpreter_threads_head);
      for (; thread != 0; thread = word(thread + layout_.thread_next)) {
        if (word(thread + layout_.thread_id) == ident && runs(interpreter, thread)) return thread;
      }
    }
    return 0;
  }

  std::uint64_t innermost_code(std::uint64_t thread) {
    std::uint64_t frame = word(thread + layout_.thread_frame);
    if (layout_.frame_link == FLAMETAP_CFRAME) frame = word(frame + layout_.cframe_current_frame);
    while (layout_.frame_owner != FLAMETAP_ABSENT && frame != 0 &&
           (word(frame + layout_.frame_owner) & 0xff) >= layout_.first_shim_owner) {
      frame = word(frame + layout_.frame_previous);
    }
    return word(frame + layout_.frame_code) & ~layout_.code_tag_mask;
  }

 private:
  bool runs(std::uint64_t interpreter, std::uint64_t thread) {
    if (layout_.interpreter_gil == FLAMETAP_ABSENT) return true;
    const std::uint64_t gil = word(interpreter + layout_.interpreter_gil);
    return word(gil + layout_.gil_holder) == thread && static_cast<std::uint32_t>(word(gil + layout_.gil_locked)) != 0;
  }

  target::Memory& memory_;
  const flametap_python_layout& layout_;
};

int print_innermost(target::Memory& memory, const cpython::Interpreter& found) {
  std::uint64_t ident = 0;
  std::cin >> ident;
  const Result<flametap_python_layout> layout = tracer::python_layout(found);
  if (!layout) return fail(layout.error());
  Walk walk(memory, *layout);
  const std::uint64_t code = walk.innermost_code(walk.thread_state(ident));
  const Address name{walk.word(code + layout->code_name)};
  std::cout << cpython::read_text(memory, found.layout, name).value_or("?") << ' '
            << static_cast<std::int32_t>(walk.word(code + layout->code_first_line)) << ' '
            << static_cast<std::int32_t>(walk.word(code + layout->code_flags)) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view question = argc == 2 ? argv[1] : "";
  if (question != "objects" && question != "innermost") {
    std::cerr << "usage: tracer_check objects|innermost\n";
    return 2;
  }
  pid_t pid = 0;
  std::cin >> pid;
  const auto process = target::Process::open(pid);
  target::ProcessMemory memory(pid);
  const auto found = process ? cpython::find_interpreter(*process, memory) : process.error();
  if (!found) return fail(found.error());
  return question == "objects" ? print_objects(memory, *found) : print_innermost(memory, *found);
}

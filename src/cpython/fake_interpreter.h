// FakeInterpreter: the memory of an imaginary CPython, laid out as a given Layout says, for tests. It knows its own
// stacks and can call and return while it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cpython/interpreter.h"
#include "cpython/layout.h"
#include "target/fake_memory.h"

namespace flametap::cpython {

class FakeInterpreter {
 public:
  struct Thread {
    target::Address state;
    std::vector<target::Address> frames;   // the innermost last
    target::Address base = target::kNull;  // the frame of C around all of them, where the version has such frames
    target::Address cframe = target::kNull;
    std::uint64_t stack_top = 0;  // of C's stack, which grows downwards
    target::Address chunk = target::kNull;
    std::uint64_t top = 0;
  };

  explicit FakeInterpreter(const Layout& layout);

  [[nodiscard]] target::FakeMemory& memory() { return memory_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] target::Address runtime() const { return runtime_; }
  [[nodiscard]] target::Address interpreter_state() const { return interpreter_; }
  [[nodiscard]] Interpreter found() const;

  Thread& add_thread(std::uint64_t ident, std::int32_t native_id);
  // A code object; every instruction of it is on `first_line`, as its empty line table says.
  [[nodiscard]] target::Address make_code(std::string_view name, std::string_view file, std::int32_t first_line);
  // Makes another code object at the place of an old one, as an allocator might.
  void remake_code(target::Address code, std::string_view name, std::string_view file, std::int32_t first_line);
  void call(Thread& thread, target::Address code, std::int32_t offset = 0);
  void return_from(Thread& thread);
  // C code begins to evaluate what is called next, where versions have a _PyCFrame for that.
  void evaluate(Thread& thread);
  // A frame that C code pushes, where the version has such frames.
  void call_shim(Thread& thread);

  // An ASCII string, of no type.
  [[nodiscard]] target::Address make_text(std::string_view text);
  void put(target::Address at, std::uint64_t value) { memory_.put(at, value); }
  [[nodiscard]] target::Address allocate(std::size_t size);

 private:
  void write_code(target::Address code, std::string_view name, std::string_view file, std::int32_t first_line);
  void write_text(target::Address at, std::string_view text);
  void set_innermost(Thread& thread);
  [[nodiscard]] target::Address make_shim(target::Address previous);

  Layout layout_;
  target::FakeMemory memory_;
  std::uint64_t next_ = 0x10'0000;
  std::uint32_t next_version_ = 1;
  target::Address runtime_;
  target::Address interpreter_;
  target::Address code_type_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace flametap::cpython

#include "cpython/fake_interpreter.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace flametap::cpython {

using target::Address;
using target::to_number;

namespace {

constexpr std::size_t kRootCFrameRoom = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kChunkSize = 65536;
constexpr std::size_t kFrameRoom = 160;  // a frame with some locals
constexpr std::size_t kCodeRoom = 1024;  // with its instructions

}  // namespace

FakeInterpreter::FakeInterpreter(const Layout& layout) : layout_(layout) {
  runtime_ = allocate(4096);
  interpreter_ = allocate(std::max(layout_.interpreter.size, layout_.interpreter.modules) + 64);
  code_type_ = allocate(256);
  const Address type_name = allocate(16);
  memory_.write(type_name, std::as_bytes(std::span("code")));
  put(code_type_ + layout_.type.name, to_number(type_name));
  put(runtime_ + layout_.runtime.interpreters_head, to_number(interpreter_));
}

Interpreter FakeInterpreter::found() const {
  return {.layout = layout_,
          .runtime = runtime_,
          .current_thread = runtime_ + 2048,
          .version = layout_.version,
          .file = "fake",
          .found_by = "test"};
}

Address FakeInterpreter::allocate(std::size_t size) {
  // Whole pages, as in a real process; and one unmapped page between two objects.
  const Address at{next_};
  const std::size_t whole_pages = (size + kPage - 1) / kPage * kPage;
  memory_.map(at, whole_pages);
  next_ += whole_pages + kPage;
  return at;
}

FakeInterpreter::Thread& FakeInterpreter::add_thread(std::uint64_t ident, std::int32_t native_id) {
  threads_.push_back(std::make_unique<Thread>());
  Thread& thread = *threads_.back();
  thread.state = allocate(layout_.thread.size + kRootCFrameRoom);
  put(thread.state + layout_.thread.interpreter, to_number(interpreter_));
  put(thread.state + layout_.thread.thread_id, ident);
  if (layout_.thread.native_thread_id != kAbsent) {
    put(thread.state + layout_.thread.native_thread_id, static_cast<std::uint32_t>(native_id));
  }
  const std::size_t older = threads_.size() - 1;
  put(thread.state + layout_.thread.next, older == 0 ? 0 : to_number(threads_[older - 1]->state));
  put(interpreter_ + layout_.interpreter.threads_head, to_number(thread.state));
  if (layout_.has_shims()) thread.base = make_shim(target::kNull);
  if (layout_.frame_link == FrameLink::cframe) {
    thread.cframe = thread.state + layout_.thread.size;  // the one that runs nothing is a part of the state
    put(thread.state + layout_.thread.frame, to_number(thread.cframe));
  }
  if (layout_.thread.stack_chunk != kAbsent) {
    thread.chunk = allocate(kChunkSize);
    thread.top = to_number(thread.chunk) + layout_.stack_chunk.data;
    put(thread.state + layout_.thread.stack_chunk, to_number(thread.chunk));
    put(thread.state + layout_.thread.stack_top, thread.top);
    put(thread.chunk + layout_.stack_chunk.size, kChunkSize);
  }
  return thread;
}

Address FakeInterpreter::make_code(std::string_view name, std::string_view file, std::int32_t first_line) {
  const Address code = allocate(kCodeRoom);
  put(code + layout_.code.name, to_number(make_text(name)));
  put(code + layout_.code.filename, to_number(make_text(file)));
  if (layout_.code.qualname != kAbsent) put(code + layout_.code.qualname, to_number(make_text(name)));
  put(code + layout_.code.line_table, to_number(allocate(64)));
  write_code(code, name, file, first_line);
  return code;
}

void FakeInterpreter::remake_code(Address code, std::string_view name, std::string_view file, std::int32_t first_line) {
  write_code(code, name, file, first_line);
}

// Name, file and line table stay where they are: the worst case for whoever remembers addresses.
void FakeInterpreter::write_code(Address code, std::string_view name, std::string_view file, std::int32_t first_line) {
  const auto follow = [&](Offset offset) {
    std::uint64_t pointer = 0;
    (void)memory_.read_value(code + offset, pointer);
    return Address{pointer};
  };
  put(code + layout_.object.type, to_number(code_type_));
  write_text(follow(layout_.code.name), name);
  write_text(follow(layout_.code.filename), file);
  if (layout_.code.qualname != kAbsent) write_text(follow(layout_.code.qualname), name);
  memory_.put(code + layout_.code.first_line, first_line);
  if (layout_.code.unique_version != kAbsent) memory_.put(code + layout_.code.unique_version, next_version_++);
}

Address FakeInterpreter::make_text(std::string_view text) {
  const Address at = allocate(512 + text.size());
  write_text(at, text);
  return at;
}

void FakeInterpreter::write_text(Address at, std::string_view text) {
  std::vector<std::byte> characters(text.size() + 1);
  std::memcpy(characters.data(), text.data(), text.size());
  if (layout_.text_kind == TextKind::bytes) {
    put(at + layout_.bytes.length, text.size());
    memory_.write(at + layout_.bytes.data, characters);
    return;
  }
  const std::uint32_t state = 1u << layout_.text.kind_shift | 3u << (layout_.text.kind_shift + 3);
  put(at + layout_.text.length, text.size());
  memory_.put(at + layout_.text.state, state);
  memory_.write(at + layout_.text.ascii_data, characters);
}

void FakeInterpreter::call(Thread& thread, Address code, std::int32_t offset) {
  Address frame{thread.top};
  if (thread.chunk == target::kNull) {
    frame = allocate(512);
  } else {
    thread.top += kFrameRoom;
    put(thread.state + layout_.thread.stack_top, thread.top);
  }
  put(frame + layout_.frame.previous, to_number(thread.frames.empty() ? thread.base : thread.frames.back()));
  put(frame + layout_.frame.code, to_number(code));
  if (layout_.frame.is_entry != kAbsent)
    memory_.put(frame + layout_.frame.is_entry, std::uint8_t{thread.frames.empty()});
  if (layout_.frame.owner != kAbsent) memory_.put(frame + layout_.frame.owner, std::uint8_t{0});
  switch (layout_.instruction_kind) {
    case InstructionKind::byte_index:
      memory_.put(frame + layout_.frame.instruction, offset);
      break;
    case InstructionKind::unit_index:
      memory_.put(frame + layout_.frame.instruction, offset / 2);
      break;
    case InstructionKind::unit_pointer:
      put(frame + layout_.frame.instruction,
          to_number(code + layout_.code.instructions) + static_cast<std::uint64_t>(offset));
      break;
  }
  thread.frames.push_back(frame);
  set_innermost(thread);
}

void FakeInterpreter::evaluate(Thread& thread) {
  if (layout_.frame_link != FrameLink::cframe) return;
  constexpr std::size_t kStackSize = 1 << 16;  // the rest of it keeps them far from any state
  if (thread.stack_top == 0) thread.stack_top = to_number(allocate(kStackSize)) + kStackSize;
  const Address cframe{thread.stack_top -= 64};
  put(cframe + layout_.cframe.previous, to_number(thread.cframe));
  put(thread.state + layout_.thread.frame, to_number(cframe));
  thread.cframe = cframe;
}

void FakeInterpreter::call_shim(Thread& thread) {
  thread.frames.push_back(make_shim(thread.frames.empty() ? target::kNull : thread.frames.back()));
  set_innermost(thread);
}

Address FakeInterpreter::make_shim(Address previous) {
  const Address frame = allocate(256);
  put(frame + layout_.frame.previous, to_number(previous));
  memory_.put(frame + layout_.frame.owner, layout_.first_shim_owner);
  return frame;
}

void FakeInterpreter::return_from(Thread& thread) {
  const Address frame = thread.frames.back();
  thread.frames.pop_back();
  set_innermost(thread);
  const std::uint64_t start = to_number(thread.chunk);
  if (thread.chunk != target::kNull && to_number(frame) >= start && to_number(frame) < start + kChunkSize) {
    thread.top = to_number(frame);
    put(thread.state + layout_.thread.stack_top, thread.top);
  }
}

void FakeInterpreter::set_innermost(Thread& thread) {
  const std::uint64_t innermost = thread.frames.empty() ? 0 : to_number(thread.frames.back());
  if (layout_.frame_link == FrameLink::cframe) {
    put(thread.cframe + layout_.cframe.current_frame, innermost);
  } else {
    put(thread.state + layout_.thread.frame, innermost);
  }
}

}  // namespace flametap::cpython

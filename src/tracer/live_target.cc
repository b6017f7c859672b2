#include "tracer/live_target.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "tracer/captured_memory.h"
#include "tracer/object_text.h"

namespace flametap::tracer {

std::string LiveTarget::describe(pid_t pid, const flametap_capture& capture) {
  const Python* const python = pythons_.find(pid);
  if (python == nullptr) return "";
  CapturedMemory memory;
  for (const flametap_piece& piece : capture.pieces) {
    memory.add(target::Address{piece.address}, std::as_bytes(std::span{piece.bytes}.first(piece.size)));
  }
  return object_text(memory, *python->types, python->interpreter->layout, target::Address{capture.object});
}

std::string LiveTarget::read_constant(pid_t pid, std::uint64_t address) {
  const Python* const python = pythons_.find(pid);
  if (python == nullptr) return "";
  // By small steps: it may stand right before the end of what is mapped.
  constexpr std::size_t kStep = 16;
  std::string text;
  while (text.size() < FLAMETAP_TEXT_LIMIT) {
    std::array<char, kStep> bytes{};
    const std::size_t size = kStep - address % kStep;
    if (python->memory->read(target::Address{address}, std::as_writable_bytes(std::span{bytes}.first(size))) !=
        target::ReadStatus::ok)
      return "";
    const std::size_t length = ::strnlen(bytes.data(), size);
    text += std::string_view(bytes.data(), length);
    if (length < size) return text;
    address += size;
  }
  return text;
}

}  // namespace flametap::tracer

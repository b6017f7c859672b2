// Any bytes may stand where an ELF file with markers is expected: what is read is sound, and lies in the file.
#include <asm/ptrace.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/fd.h"
#include "target/elf_file.h"
#include "tracer/abilities.h"
#include "tracer/marker_arguments.h"
#include "tracer/markers.h"

namespace {

using namespace flametap;

void check(const flametap_marker& marker) {
  for (const flametap_argument& argument : marker.arguments) {
    if (argument.where == FLAMETAP_NOWHERE) continue;
    if (argument.register_offset + 8u > sizeof(pt_regs) || argument.size == 0 || argument.size > 8) std::abort();
  }
}

void check(const target::ElfFile& file, const tracer::Marker& marker) {
  const auto holds = [&](const target::LoadSegment& segment) {
    return segment.executable && marker.location - to_number(segment.address) < segment.file_size;
  };
  if (std::none_of(file.segments().begin(), file.segments().end(), holds)) std::abort();
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (marker.name.empty() || !std::all_of(marker.name.begin(), marker.name.end(), is_printable)) std::abort();
  if (!std::all_of(marker.arguments.begin(), marker.arguments.end(), is_printable)) std::abort();
  if (const auto arguments = tracer::parse_arguments(marker.arguments)) check(*arguments);
  if (marker.semaphore == 0 && marker.semaphore_offset != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fd file(memfd_create("fuzz", MFD_CLOEXEC));
  if (write(file.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  const Result<target::ElfFile> elf = target::ElfFile::open(std::move(file), "fuzz");
  if (!elf) return 0;
  const auto markers = tracer::read_markers(*elf);
  if (!markers) return 0;
  for (const tracer::Marker& marker : *markers) check(*elf, marker);
  (void)tracer::tell_abilities({.path = "fuzz", .markers = *markers}, std::nullopt);
  return 0;
}

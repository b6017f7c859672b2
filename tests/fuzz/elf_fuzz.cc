// Any bytes may stand where an ELF file, or the image of one, is expected: every question is answered in bounded time.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "target/elf_file.h"
#include "target/elf_image.h"
#include "target/fake_memory.h"

namespace {

using namespace flametap;
using namespace flametap::target;

const std::vector<std::string_view> kNames{"main", "_PyRuntime", "interp_head", ""};
constexpr Address kBase{0x400000};

void ask_file(std::span<const std::uint8_t> bytes) {
  Fd file(memfd_create("fuzz", MFD_CLOEXEC));
  if (write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  const Result<ElfFile> elf = ElfFile::open(std::move(file), "fuzz");
  if (!elf) return;
  (void)elf->find_symbols(kNames);
  const auto section = elf->section_bytes(".text", 1 << 16);
  if (section && section->size() > 1 << 16) std::abort();
  (void)find_bias(elf->segments(), std::vector<Mapping>(3));
}

void ask_image(std::span<const std::uint8_t> bytes) {
  FakeMemory memory;
  // An image is read a page at a time, so it is one page at least.
  memory.map(kBase, std::max<std::size_t>(bytes.size(), 4096));
  memory.write(kBase, std::as_bytes(bytes));
  const Result<ElfImage> image = ElfImage::open(memory, kBase);
  if (!image) return;
  (void)image->read_build_id();
  (void)image->find_symbols(kNames);
  if (memory.calls().size() > 100'000) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ask_file({data, size});
  ask_image({data, size});
  return 0;
}

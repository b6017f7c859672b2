// The stack and the registers of a thread may hold anything, also what looks like calls of real code in any order: an
// unwinding ends, and every frame lies above the one before it.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "input.h"
#include "native/unwinder.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace flametap::native {
namespace {

constexpr target::Address kStack{0x7000'0000};
constexpr std::size_t kMaxWords = 2048;

// This very process is the one whose code the lying stack pretends to run.
class LiedAbout {
 public:
  LiedAbout()
      : process_(std::move(*target::Process::open(getpid()))),
        memory_(getpid()),
        space_(std::move(*AddressSpace::open(process_, memory_, binaries_))) {
    for (const target::Mapping& mapping : space_.maps()) {
      if (mapping.executable) code_.push_back(mapping);
    }
  }

  void unwind(Input input) {
    std::vector<std::uint64_t> words;
    Registers registers;
    for (std::size_t i = 0; i < kRegisterCount; ++i) {
      const std::uint64_t word = lie(input);
      if (input.next(8) != 0) registers.set(i, word);
    }
    // These two are always known.
    registers.set(kStackPointer, to_number(kStack) + 8 * input.next(16));
    registers.set(kReturnAddress, lie(input));
    while (!input.empty() && words.size() < kMaxWords) words.push_back(lie(input));
    copy_.assign(registers, kStack, std::as_bytes(std::span(words)));
    (void)unwinder_.unwind(copy_, space_, frames_);
    if (frames_.empty() || frames_.size() > Unwinder::kMaxDepth) std::abort();
    for (std::size_t i = 1; i < frames_.size(); ++i) {
      if (frames_[i].begin != frames_[i - 1].end) std::abort();
      if (frames_[i].begin <= frames_[i - 1].begin) std::abort();
    }
  }

 private:
  std::uint64_t lie(Input& input) {
    const std::uint64_t kind = input.next(16);
    const std::uint64_t number = input.next(65536);
    if (kind == 0) return number;
    if (kind == 1) return ~number;
    if (kind < 6) return to_number(kStack) + number % (8 * kMaxWords);
    const target::Mapping& code = code_[kind % code_.size()];
    return to_number(code.begin) + (number * 16 + input.next(16)) % code.size();
  }

  target::Process process_;
  target::ProcessMemory memory_;
  BinaryCache binaries_;
  AddressSpace space_;
  std::vector<target::Mapping> code_;
  StackCopy copy_;
  Unwinder unwinder_;
  std::vector<Frame> frames_;
};

}  // namespace
}  // namespace flametap::native

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // To open it anew for every input would be all that is done.
  static flametap::native::LiedAbout target;
  target.unwind(flametap::Input(std::as_bytes(std::span(data, size))));
  return 0;
}

// AddressSpace: what lies where in one process, for unwinding: which ELF a program counter is in, and where a stack
// ends.
//
// A picture of the moment of the last reading of /proc/PID/maps. It is read again when an address is not known, at once
// at first, but ever less often while that goes on; and when refresh() is called: call it now and then, since code can
// be unloaded and other code loaded in its place. Borrows the Process, the Memory and the BinaryCache. Not safe for
// concurrent calls.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "native/binary.h"
#include "target/elf_types.h"
#include "target/maps.h"
#include "target/memory.h"
#include "target/module.h"
#include "target/process.h"

namespace flametap::native {

class AddressSpace {
 public:
  static constexpr Nanoseconds kMinInterval = 1'000'000;
  static constexpr Nanoseconds kMaxInterval = 50'000'000;

  struct Place {
    enum class Kind : std::uint8_t {
      nothing,    // no executable memory
      anonymous,  // executable, but of no ELF: made by a just-in-time compiler
      binary,
    };
    Kind kind = Kind::nothing;
    Binary* binary = nullptr;  // lives until the generation changes; null also if the ELF cannot be had
    target::LinkAddress address{};
  };

  [[nodiscard]] static Result<AddressSpace> open(const target::Process& process, target::Memory& memory,
                                                 BinaryCache& binaries);

  // May read the map again, and open the ELF when it is asked about for the first time.
  [[nodiscard]] Place find(target::Address pc);

  // Reads the map again; costs little more than that unless executable memory changed. Says whether it did. When the
  // map cannot be read (the process ended), the last picture stays.
  bool refresh();

  // Another number whenever executable memory changed: what was learned by program counter is to be forgotten then. No
  // two spaces of one BinaryCache have the same.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  // The end of the memory that holds a stack pointer; null if it is not known, and then the next find() reads the map
  // again. Never reads by itself: for threads that stand still meanwhile.
  [[nodiscard]] target::Address stack_end(target::Address stack_pointer);

  // The code that stands at an address now, as much of it as can be read at once; empty if none.
  [[nodiscard]] Bytes read_code(target::Address pc, std::span<std::byte> buffer) const;

  // Of the last reading.
  [[nodiscard]] const target::Maps& maps() const { return maps_; }

 private:
  struct Region {
    target::Address begin{};
    target::Address end{};
    std::size_t module = kNoModule;
  };
  struct Loaded {
    target::Module module;
    bool asked = false;
    std::shared_ptr<Binary> binary{};  // null: not asked for yet, or not to be had
  };
  static constexpr std::size_t kNoModule = ~std::size_t{0};

  AddressSpace(const target::Process& process, target::Memory& memory, BinaryCache& binaries, target::Maps maps);

  void refresh_if_due();
  void list_executable();
  [[nodiscard]] std::size_t find_module(const target::Mapping& mapping) const;
  [[nodiscard]] const Region* find_region(target::Address pc) const;

  const target::Process* process_;
  target::Memory* memory_;
  BinaryCache* binaries_;
  target::Maps maps_;
  std::vector<target::Mapping> executable_;  // of maps_
  std::vector<Region> regions_;              // the same, in the order of their addresses
  std::vector<Loaded> modules_;
  std::uint64_t generation_ = 0;
  Nanoseconds last_reading_ = 0;
  Nanoseconds last_miss_ = 0;
  Nanoseconds interval_ = kMinInterval;  // between readings because of what is not known
  bool stack_missed_ = false;
};

}  // namespace flametap::native

// CodeCache: the code objects of a target that we have met, with name, file and lines, by their address.
//
// An address is no identity: a code object can be freed and another one be made at the same place, with its name, file
// and line table at the same places as before. What is known of an address therefore carries witnesses: ranges of the
// target's memory and what must stand there. Whoever uses it for a sample reads the witnesses together with that sample
// and compares. One thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "cpython/layout.h"
#include "cpython/line_table.h"
#include "target/memory.h"

namespace flametap::cpython {

enum class CodeId : std::uint32_t {};

// CO_NO_MONITORING_EVENTS (3.13+): code of the interpreter's own that runs between a class and its __init__. Python
// itself shows its frames to nobody.
inline constexpr std::uint32_t kSilentCode = 0x2000000;
// CO_GENERATOR, CO_COROUTINE and CO_ASYNC_GENERATOR.
inline constexpr std::uint32_t kGeneratorCode = 0x20 | 0x80 | 0x200;

// What a code object says of itself. Equal ones share an id, wherever and however often they lived.
struct Code {
  std::string name;  // qualified where the version knows
  std::string file;
  std::int32_t first_line = 0;
  LineMap lines;
};

// What must stand where as long as an address still means the same code.
struct Witness {
  target::Address from;
  std::uint32_t length;
  std::uint32_t expected;  // offset in KnownCode::expected
};

struct KnownCode {
  CodeId id{};
  // The number that its interpreter gave it, and never gives again (3.12+). 0: none.
  std::uint32_t version = 0;
  std::uint32_t flags = 0;
  std::vector<Witness> witnesses;  // by address
  std::vector<std::byte> expected;

  [[nodiscard]] Bytes expected_of(const Witness& witness) const {
    return Bytes(expected).subspan(witness.expected, witness.length);
  }
  // What a witness that begins there begins with; 0 if there is none.
  [[nodiscard]] std::uint32_t number_at(target::Address from) const;
};

class CodeCache {
 public:
  // `layout` must outlive the cache.
  explicit CodeCache(const Layout& layout) : layout_(layout) {}

  // What was last loaded from this address, or null. Allocates nothing. Valid until the next `load`.
  [[nodiscard]] const KnownCode* find(target::Address address) const;
  [[nodiscard]] const Code& operator[](CodeId id) const { return codes_[static_cast<std::size_t>(id)]; }

  // It is not what it was.
  void forget(target::Address address) { by_address_.erase(address); }
  // Reads the code object at `address` and replaces what was known of that address. Null: there is none.
  const KnownCode* load(target::Memory& memory, target::Address address);
  // Gets to know the type of code objects by that of one of them. It lives as long as the interpreter, so it need not
  // be in the memory that they are loaded from.
  void learn_type(target::Memory& memory, target::Address code);

 private:
  // Limits of what a hostile target can make us keep.
  static constexpr std::size_t kMaxCodes = 1 << 20;
  static constexpr std::size_t kMaxAddresses = 1 << 16;
  static constexpr std::size_t kMaxTableBytes = std::size_t{1} << 28;
  static constexpr std::uint64_t kMaxLineTable = 1 << 20;

  bool is_code_type(target::Memory& memory, target::Address type);
  void add_witnesses(target::Memory& memory, target::Address address, Bytes object, KnownCode& known) const;

  using Identity = std::tuple<std::string, std::string, std::int32_t, std::vector<std::byte>>;

  const Layout& layout_;
  target::Address code_type_ = target::kNull;  // PyCode_Type, once met
  std::deque<Code> codes_;                     // by id
  std::map<Identity, CodeId> ids_;
  std::size_t table_bytes_ = 0;
  std::unordered_map<target::Address, KnownCode> by_address_;
};

}  // namespace flametap::cpython

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
  std::vector<Witness> witnesses;
  std::vector<std::byte> expected;

  [[nodiscard]] Bytes expected_of(const Witness& witness) const {
    return Bytes(expected).subspan(witness.expected, witness.length);
  }
};

class CodeCache {
 public:
  // `layout` must outlive the cache.
  explicit CodeCache(const Layout& layout) : layout_(layout) {}

  // What was last loaded from this address, or null. Allocates nothing. Valid until the next `load`.
  [[nodiscard]] const KnownCode* find(target::Address address) const;
  [[nodiscard]] const Code& operator[](CodeId id) const { return codes_[static_cast<std::size_t>(id)]; }

  // Reads the code object at `address` and replaces what was known of that address. Null: there is none.
  const KnownCode* load(target::Memory& memory, target::Address address);

 private:
  // Limits of what a hostile target can make us keep.
  static constexpr std::size_t kMaxCodes = 1 << 20;
  static constexpr std::size_t kMaxAddresses = 1 << 16;
  static constexpr std::size_t kMaxTableBytes = std::size_t{1} << 28;
  static constexpr std::uint64_t kMaxLineTable = 1 << 20;

  bool is_code_object(target::Memory& memory, Bytes object);
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

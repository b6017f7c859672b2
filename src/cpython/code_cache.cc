#include "cpython/code_cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "cpython/text.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

// More of a string or a table is not compared: two code objects that differ only further on, at the same addresses, of
// the same version-less kind, are taken for one.
constexpr std::uint64_t kMaxWitness = 256;

Address pointer_at(Bytes object, Offset offset) { return Address{load<std::uint64_t>(object, offset).value_or(0)}; }

// A witness is added with the bytes that stand there now: the reading that confirms it comes later.
void add_witness(Memory& memory, Address from, std::uint64_t length, KnownCode& known) {
  if (length == 0) return;
  const auto wanted = static_cast<std::uint32_t>(std::min(length, kMaxWitness));
  const auto start = known.expected.size();
  known.expected.resize(start + wanted);
  if (memory.read(from, std::span(known.expected).subspan(start)) != ReadStatus::ok) {
    known.expected.resize(start);
    return;
  }
  known.witnesses.push_back({from, wanted, static_cast<std::uint32_t>(start)});
}

// The characters and the zero that ends them, which gives the length away too.
void add_text_witness(Memory& memory, const Layout& layout, Address text, KnownCode& known) {
  if (const auto place = text_data(memory, layout, text)) {
    add_witness(memory, place->data, place->bytes + 1, known);
  }
}

std::optional<std::vector<std::byte>> read_byte_string(Memory& memory, const Layout& layout, Address object,
                                                       std::uint64_t limit) {
  std::uint64_t length = 0;
  if (memory.read_value(object + layout.bytes.length, length) != ReadStatus::ok || length > limit) return std::nullopt;
  std::vector<std::byte> bytes(length);
  if (memory.read(object + layout.bytes.data, bytes) != ReadStatus::ok) return std::nullopt;
  return bytes;
}

}  // namespace

std::uint32_t KnownCode::number_at(Address from) const {
  const auto found = std::ranges::find(witnesses, from, &Witness::from);
  return found == witnesses.end() ? 0 : load<std::uint32_t>(expected_of(*found), 0).value_or(0);
}

const KnownCode* CodeCache::find(Address address) const {
  const auto known = by_address_.find(address);
  return known == by_address_.end() ? nullptr : &known->second;
}

const KnownCode* CodeCache::load(Memory& memory, Address address) {
  forget(address);
  std::vector<std::byte> object(layout_.code.size);
  if (memory.read(address, object) != ReadStatus::ok) return nullptr;
  if (!is_code_type(memory, pointer_at(object, layout_.object.type))) return nullptr;

  const Offset name_offset = layout_.code.qualname == kAbsent ? layout_.code.name : layout_.code.qualname;
  auto name = read_text(memory, layout_, pointer_at(object, name_offset));
  auto file = read_text(memory, layout_, pointer_at(object, layout_.code.filename));
  auto table = read_byte_string(memory, layout_, pointer_at(object, layout_.code.line_table), kMaxLineTable);
  const auto first_line = flametap::load<std::int32_t>(object, layout_.code.first_line);
  if (!name || !file || !table || !first_line) return nullptr;

  const std::size_t table_size = table->size();
  const Identity identity{*name, *file, *first_line, *table};
  auto known_id = ids_.find(identity);
  if (known_id == ids_.end()) {
    if (codes_.size() >= kMaxCodes || table_bytes_ + table_size > kMaxTableBytes) return nullptr;
    table_bytes_ += table_size;
    known_id = ids_.emplace(identity, static_cast<CodeId>(codes_.size())).first;
    codes_.push_back(
        {std::move(*name), std::move(*file), *first_line, LineMap(layout_.line_table_kind, *table, *first_line)});
  }
  if (by_address_.size() >= kMaxAddresses) by_address_.clear();
  KnownCode& known = by_address_[address];
  known.id = known_id->second;
  known.flags = flametap::load<std::uint32_t>(object, layout_.code.flags).value_or(0);
  add_witnesses(memory, address, object, known);
  std::ranges::sort(known.witnesses, {}, [](const Witness& witness) { return target::to_number(witness.from); });
  return &known;
}

// The type is recognised by its name once, and by its address from then on.
bool CodeCache::is_code_type(Memory& memory, Address type) {
  if (type == target::kNull) return false;
  if (type == code_type_) return true;
  Address name = target::kNull;
  std::array<char, 5> text{};
  if (memory.read_value(type + layout_.type.name, name) != ReadStatus::ok) return false;
  if (memory.read_value(name, text) != ReadStatus::ok) return false;
  if (std::memcmp(text.data(), "code", text.size()) != 0) return false;
  code_type_ = type;
  return true;
}

void CodeCache::learn_type(Memory& memory, Address code) {
  if (code_type_ != target::kNull) return;
  Address type = target::kNull;
  if (memory.read_value(code + layout_.object.type, type) == ReadStatus::ok) (void)is_code_type(memory, type);
}

void CodeCache::add_witnesses(Memory& memory, Address address, Bytes object, KnownCode& known) const {
  const auto add_field = [&](Offset offset, std::uint32_t length) {
    if (offset == kAbsent) return;
    const auto start = static_cast<std::uint32_t>(known.expected.size());
    const Bytes field = object.subspan(offset, length);
    known.expected.insert(known.expected.end(), field.begin(), field.end());
    known.witnesses.push_back({address + offset, length, start});
  };
  add_field(layout_.object.type, 8);
  add_field(layout_.code.name, 8);
  add_field(layout_.code.filename, 8);
  add_field(layout_.code.first_line, 4);
  add_field(layout_.code.line_table, 8);
  add_field(layout_.code.qualname, 8);
  add_field(layout_.code.unique_version, 4);

  // A version number that is never given twice says it all; 0 means that the numbers ran out.
  if (layout_.code.unique_version != kAbsent) {
    known.version = flametap::load<std::uint32_t>(object, layout_.code.unique_version).value_or(0);
  }
  if (known.version != 0) return;
  add_text_witness(memory, layout_, pointer_at(object, layout_.code.name), known);
  add_text_witness(memory, layout_, pointer_at(object, layout_.code.filename), known);
  if (layout_.code.qualname != kAbsent) {
    add_text_witness(memory, layout_, pointer_at(object, layout_.code.qualname), known);
  }
  const Address table = pointer_at(object, layout_.code.line_table);
  std::uint64_t length = 0;
  if (memory.read_value(table + layout_.bytes.length, length) == ReadStatus::ok) {
    add_witness(memory, table + layout_.bytes.length, 8, known);
    add_witness(memory, table + layout_.bytes.data, length, known);
  }
}

}  // namespace flametap::cpython

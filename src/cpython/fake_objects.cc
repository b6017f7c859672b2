#include "cpython/fake_objects.h"

#include <bit>

namespace flametap::cpython {

using target::Address;
using target::to_number;

namespace {

constexpr std::size_t kBeforeObject = 64;  // room for what the interpreter keeps in front of an object
constexpr Offset kModuleDict = 64;         // where a module of ours keeps its dictionary
constexpr Offset kInstanceSize = 32;       // of an instance without its values

}  // namespace

FakeObjects::FakeObjects(FakeInterpreter& python)
    : python_(python),
      text_type_(make_type(layout().type_flag.text, 0, "str")),
      integer_type_(make_type(layout().type_flag.integer, 0, "int")),
      dict_type_(make_type(layout().type_flag.dict, 0, "dict")),
      module_type_(make_type(0, kModuleDict, "module")) {}

Address FakeObjects::allocate(std::size_t size) {
  const Address at = python_.allocate(kBeforeObject + size) + kBeforeObject;
  all_.push_back(at);
  return at;
}

Address FakeObjects::make_type(std::uint64_t flags, std::int64_t dict_offset, std::string_view name) {
  const Address type = allocate(1024);
  const Address name_at = allocate(name.size() + 1);  // zeros, so that one ends it
  python_.memory().write(name_at, std::as_bytes(std::span(name)));
  python_.put(type + layout().type.name, to_number(name_at));
  python_.put(type + layout().type.flags, flags);
  python_.put(type + layout().type.basic_size, kInstanceSize);
  python_.put(type + layout().type.dict_offset, static_cast<std::uint64_t>(dict_offset));
  return type;
}

Address FakeObjects::make_text(std::string_view text) {
  const Address object = python_.make_text(text);
  python_.put(object + layout().object.type, to_number(text_type_));
  all_.push_back(object);
  return object;
}

Address FakeObjects::make_integer(std::uint64_t value) {
  const Address object = allocate(64);
  python_.put(object + layout().object.type, to_number(integer_type_));
  if (layout().integer_kind == IntegerKind::machine_word) {
    python_.put(object + layout().integer.digits, value);
    return object;
  }
  std::uint64_t count = 0;
  for (std::uint64_t rest = value; rest != 0; rest >>= 30) {
    python_.memory().put(object + layout().integer.digits + 4 * count++,
                         static_cast<std::uint32_t>(rest & 0x3fff'ffff));
  }
  const bool tagged = layout().integer_kind == IntegerKind::tagged_digits;
  python_.put(object + layout().integer.size, tagged ? count << 3 | (value == 0 ? 1 : 0) : count);
  return object;
}

Address FakeObjects::make_negative(std::uint64_t value) {
  const Address object = make_integer(value);
  if (layout().integer_kind == IntegerKind::machine_word) {
    python_.put(object + layout().integer.digits, 0 - value);
    return object;
  }
  std::uint64_t size = 0;
  (void)python_.memory().read_value(object + layout().integer.size, size);
  python_.put(object + layout().integer.size,
              layout().integer_kind == IntegerKind::tagged_digits ? size | 2 : 0 - size);
  return object;
}

Address FakeObjects::make_of_type(std::string_view name, std::uint64_t flags, std::size_t size) {
  const Address object = allocate(size);
  python_.put(object + layout().object.type, to_number(make_type(flags, 0, name)));
  return object;
}

Address FakeObjects::make_boolean(bool value) {
  const Address object = make_of_type("bool", layout().type_flag.integer);
  python_.memory().put(object + layout().integer.digits, std::uint32_t{value});
  return object;
}

Address FakeObjects::make_none() { return make_of_type("NoneType", 0); }

Address FakeObjects::make_float(double value) {
  const Address object = make_of_type("float", 0);
  python_.memory().put(object + layout().floating.value, value);
  return object;
}

Address FakeObjects::make_bytes(std::string_view bytes) {
  const bool is_text = layout().text_kind == TextKind::bytes;
  const std::uint64_t flag = is_text ? layout().type_flag.text : layout().type_flag.bytes;
  const Address object = make_of_type(is_text ? "str" : "bytes", flag, layout().bytes.data + bytes.size() + 1);
  python_.put(object + layout().bytes.length, bytes.size());
  python_.memory().write(object + layout().bytes.data, std::as_bytes(std::span(bytes)));
  return object;
}

Address FakeObjects::make_tuple(const std::vector<Address>& items) {
  const Address object = make_of_type("tuple", layout().type_flag.tuple, 64 + 8 * items.size());
  python_.put(object + layout().tuple.length, items.size());
  python_.memory().write(object + layout().tuple.items, std::as_bytes(std::span(items)));
  return object;
}

Address FakeObjects::make_list(const std::vector<Address>& items) {
  const Address object = make_of_type("list", layout().type_flag.list);
  const Address table = allocate(8 * items.size() + 8);
  python_.put(object + layout().list.length, items.size());
  python_.put(object + layout().list.items, to_number(table));
  python_.memory().write(table, std::as_bytes(std::span(items)));
  return object;
}

Address FakeObjects::make_of_class(std::string_view module, std::string_view name) {
  const Address object = make_of_type(name, layout().type_flag.allocated);
  Address type = target::kNull;
  (void)python_.memory().read_value(object + layout().object.type, type);
  const Address dict = make_dict(items_of({{"__init__", make_none()}, {"__module__", make_text(module)}}));
  python_.put(type + layout().type.dict, to_number(dict));
  return object;
}

Address FakeObjects::make_dict(const Items& items) {
  const Address dict = allocate(256);
  python_.put(dict + layout().object.type, to_number(dict_type_));
  std::vector<Entry> entries(1);
  bool all_text = true;
  for (const auto& [key, value] : items) {
    entries.push_back({key, value});
    Address type = target::kNull;
    (void)python_.memory().read_value(key + layout().object.type, type);
    all_text = all_text && type == text_type_;
  }
  if (layout().dict_kind == DictKind::open_table) {
    make_open_table(dict, entries);
  } else {
    python_.put(dict + layout().dict.keys, to_number(make_keys(entries, all_text)));
  }
  return dict;
}

Address FakeObjects::make_split_dict(const Attributes& attributes) {
  const Address dict = allocate(256);
  python_.put(dict + layout().object.type, to_number(dict_type_));
  python_.put(dict + layout().dict.keys, to_number(make_keys(keys_alone(attributes), true)));
  python_.put(dict + layout().dict.values, to_number(make_values(allocate(1024), attributes)));
  return dict;
}

Address FakeObjects::make_object(const Attributes& attributes) {
  const Address object = allocate(128);
  python_.put(object + layout().object.type, to_number(module_type_));
  python_.put(object + kModuleDict, to_number(make_dict(items_of(attributes))));
  return object;
}

Address FakeObjects::make_instance(const Attributes& attributes) {
  const Address object = make_instance_with_dict(target::kNull);
  Address type = target::kNull;
  (void)python_.memory().read_value(object + layout().object.type, type);
  python_.put(type + layout().type.shared_keys, to_number(make_keys(keys_alone(attributes), true)));
  const bool is_inline = layout().attributes_kind == AttributesKind::inline_values;
  const Address values = make_values(is_inline ? object + kInstanceSize : allocate(1024), attributes);
  if (layout().attributes_kind == AttributesKind::two_pointers) {
    python_.put(object + (0 - std::uint64_t{layout().before_object.values}), to_number(values));
  } else if (layout().attributes_kind == AttributesKind::tagged_pointer) {
    python_.put(object + (0 - std::uint64_t{layout().before_object.dict}), to_number(values) - 1);
  }
  return object;
}

Address FakeObjects::make_instance_with_dict(Address dict) {
  const Address type = make_type(layout().type_flag.managed_dict | layout().type_flag.inline_values, -1, "Thread");
  const Address object = allocate(1024);
  python_.put(object + layout().object.type, to_number(type));
  python_.put(object + (0 - std::uint64_t{layout().before_object.dict}), to_number(dict));
  return object;
}

void FakeObjects::set_threads(const Items& active) {
  const Address threading = make_object({{"Thread", make_integer(0)}, {"_active", make_dict(active)}});
  const Address modules = make_dict(items_of({{"sys", make_object({})}, {"threading", threading}}));
  python_.put(python_.interpreter_state() + layout().interpreter.modules, to_number(modules));
}

std::string FakeObjects::name_attribute() const {
  return layout().text_kind == TextKind::bytes ? "_Thread__name" : "_name";
}

Address FakeObjects::make_keys(const std::vector<Entry>& entries, bool all_text) {
  const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(8, entries.size() * 3 / 2 + 1));
  const std::uint64_t index_bytes = slots * (slots <= 0xff ? 1 : slots <= 0xffff ? 2 : 4);
  const Address keys = allocate(64 + index_bytes + entries.size() * 24);
  const Layout::DictKeys& place = layout().dict_keys;
  const bool has_hash = layout().dict_kind == DictKind::sized_keys || !all_text;
  if (layout().dict_kind == DictKind::sized_keys) {
    python_.put(keys + place.size, slots);
  } else {
    python_.memory().put(keys + place.size, static_cast<std::uint8_t>(std::countr_zero(slots)));
    python_.memory().put(keys + place.index_bytes, static_cast<std::uint8_t>(std::countr_zero(index_bytes)));
    python_.memory().put(keys + place.kind, static_cast<std::uint8_t>(all_text ? 1 : 0));
  }
  python_.put(keys + place.entry_count, entries.size());
  Address at = keys + place.indices + index_bytes;
  for (const Entry& entry : entries) {
    if (has_hash) at = at + 8;
    python_.put(at, to_number(entry.key));
    python_.put(at + 8, to_number(entry.value));
    at = at + 16;
  }
  return keys;
}

Address FakeObjects::make_values(Address at, const Attributes& attributes) {
  if (layout().dict_values.capacity != kAbsent) {
    python_.memory().put(at + layout().dict_values.capacity, static_cast<std::uint8_t>(attributes.size()));
    python_.memory().put(at + layout().dict_values.valid, std::uint8_t{1});
  }
  Address next = at + layout().dict_values.first;
  for (const auto& [name, value] : attributes) {
    python_.put(next, to_number(value));
    next = next + 8;
  }
  return at;
}

std::vector<FakeObjects::Entry> FakeObjects::keys_alone(const Attributes& attributes) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : attributes) entries.push_back({make_text(name), target::kNull});
  return entries;
}

void FakeObjects::make_open_table(Address dict, const std::vector<Entry>& entries) {
  const std::uint64_t slots = std::bit_ceil(entries.size() * 2 + 8);
  const Address table = allocate(slots * 24);
  python_.put(dict + layout().dict.mask, slots - 1);
  python_.put(dict + layout().dict.keys, to_number(table));
  for (std::size_t i = 0; i < entries.size(); ++i) {  // with a gap behind each
    python_.put(table + 48 * i + 8, to_number(entries[i].key));
    python_.put(table + 48 * i + 16, to_number(entries[i].value));
  }
}

FakeObjects::Items FakeObjects::items_of(const Attributes& attributes) {
  Items items;
  for (const auto& [name, value] : attributes) items.emplace_back(make_text(name), value);
  return items;
}

}  // namespace flametap::cpython

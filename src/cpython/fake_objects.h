// FakeObjects: objects of a FakeInterpreter: strings, ints, dictionaries and things with attributes, in each of the
// forms that the layout's version has for them, and the modules of a program with threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpython/fake_interpreter.h"

namespace flametap::cpython {

class FakeObjects {
 public:
  using Items = std::vector<std::pair<target::Address, target::Address>>;
  using Attributes = std::vector<std::pair<std::string, target::Address>>;

  // `python` must outlive this.
  explicit FakeObjects(FakeInterpreter& python);

  [[nodiscard]] target::Address make_text(std::string_view text);
  [[nodiscard]] target::Address make_integer(std::uint64_t value);
  [[nodiscard]] target::Address make_negative(std::uint64_t value);
  [[nodiscard]] target::Address make_boolean(bool value);
  [[nodiscard]] target::Address make_none();
  [[nodiscard]] target::Address make_float(double value);
  [[nodiscard]] target::Address make_bytes(std::string_view bytes);
  [[nodiscard]] target::Address make_tuple(const std::vector<target::Address>& items);
  [[nodiscard]] target::Address make_list(const std::vector<target::Address>& items);
  // An object of a class that Python code made.
  [[nodiscard]] target::Address make_of_class(std::string_view module, std::string_view name);
  // An ordinary dictionary. It begins with an item that was deleted.
  [[nodiscard]] target::Address make_dict(const Items& items);
  // 3.6+: a dictionary that shares its keys with others.
  [[nodiscard]] target::Address make_split_dict(const Attributes& attributes);

  // An object that has its attributes in a dictionary at a fixed place, as modules have.
  [[nodiscard]] target::Address make_object(const Attributes& attributes);
  // 3.11+: an object of a class whose instances share their keys and keep only values, in the version's own way.
  [[nodiscard]] target::Address make_instance(const Attributes& attributes);
  // 3.11+: an object of such a class whose attributes were moved to this dictionary.
  [[nodiscard]] target::Address make_instance_with_dict(target::Address dict);

  // Makes `threading` know these threads; objects come from make_object or make_instance.
  void set_threads(const Items& active);
  // As threading.Thread would name the attribute.
  [[nodiscard]] std::string name_attribute() const;

  // Everything that was made here, for a fuzzer to lie about.
  [[nodiscard]] const std::vector<target::Address>& all() const { return all_; }

 private:
  struct Entry {
    target::Address key = target::kNull;
    target::Address value = target::kNull;
  };

  [[nodiscard]] target::Address allocate(std::size_t size);
  [[nodiscard]] target::Address make_type(std::uint64_t flags, std::int64_t dict_offset, std::string_view name);
  // An object of a type that is all it needs to be known for.
  [[nodiscard]] target::Address make_of_type(std::string_view name, std::uint64_t flags, std::size_t size = 64);
  [[nodiscard]] target::Address make_keys(const std::vector<Entry>& entries, bool all_text);
  [[nodiscard]] target::Address make_values(target::Address at, const Attributes& attributes);
  [[nodiscard]] std::vector<Entry> keys_alone(const Attributes& attributes);
  void make_open_table(target::Address dict, const std::vector<Entry>& entries);
  [[nodiscard]] Items items_of(const Attributes& attributes);
  [[nodiscard]] const Layout& layout() const { return python_.layout(); }

  FakeInterpreter& python_;
  std::vector<target::Address> all_;
  target::Address text_type_;
  target::Address integer_type_;
  target::Address dict_type_;
  target::Address module_type_;
};

}  // namespace flametap::cpython

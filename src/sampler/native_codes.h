// NativeCodes: what the program counters of one process are called, and what they are to the interpreter.
//
// Places with the same names share a number, wherever and however often they were loaded. Looking up a known program
// counter allocates nothing. One thread only.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cpython/interpreter.h"
#include "native/address_space.h"
#include "native/perf_map_file.h"
#include "sampler/greenlets.h"
#include "sampler/named_frame.h"
#include "stack/merge.h"
#include "target/process.h"

namespace flametap::sampler {

class NativeCodes {
 public:
  struct Options {
    bool lines = true;
    bool inlines = false;
  };
  struct Code {
    stack::Role role = stack::Role::other;
    Home home = Home::other;
    bool has_name = true;            // false: only its module is known
    std::vector<NamedFrame> frames;  // the innermost inlined function first; never empty

    auto operator<=>(const Code&) const = default;
  };

  // All but the options are borrowed.
  NativeCodes(const target::Process& process, const cpython::Interpreter& interpreter, native::AddressSpace& space,
              Options options);

  [[nodiscard]] std::uint32_t number_of(target::Address pc);
  // Now and then: a just-in-time compiler may have named more code, or other code at the same place.
  void keep_up();
  [[nodiscard]] const Code& operator[](std::uint32_t number) const { return *codes_[number]; }

 private:
  // Limits of what a hostile target can make us keep.
  static constexpr std::size_t kMaxCodes = 1 << 20;
  static constexpr std::size_t kMaxAddresses = 1 << 18;

  [[nodiscard]] Code describe(target::Address pc);
  [[nodiscard]] Code describe_binary(native::Binary& binary, target::LinkAddress address) const;
  [[nodiscard]] Code describe_generated(target::Address pc);
  [[nodiscard]] stack::Role role_of(const std::string& symbol, const std::string& module) const;
  [[nodiscard]] Home home_of(const std::string& module) const;

  const target::Process& process_;
  const cpython::Interpreter& interpreter_;
  native::AddressSpace& space_;
  native::PerfMapFile perf_map_;
  Options options_;
  std::map<Code, std::uint32_t> numbers_;
  std::deque<const Code*> codes_;  // keys of numbers_
  std::unordered_map<target::Address, std::uint32_t> by_pc_;
  std::uint64_t generation_ = 0;  // of the space, when by_pc_ was true
  bool has_generated_code_ = false;
};

}  // namespace flametap::sampler

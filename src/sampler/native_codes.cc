#include "sampler/native_codes.h"

#include <utility>

#include "cpython/machinery.h"

namespace flametap::sampler {
namespace {

using native::AddressSpace;
using profile::FrameKind;
using stack::Role;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

NativeCodes::Code nameless(const std::string& module) {
  const std::string name = module.starts_with('[') ? module : "[" + base_name(module) + "]";
  NativeCodes::Code code;
  code.has_name = false;
  code.frames = {{FrameKind::native, name, module, module, 0, 0}};
  return code;
}

}  // namespace

NativeCodes::NativeCodes(const target::Process& process, const cpython::Interpreter& interpreter,
                         native::AddressSpace& space, Options options)
    : process_(process), interpreter_(interpreter), space_(space), perf_map_(process), options_(options) {}

std::uint32_t NativeCodes::number_of(target::Address pc) {
  if (space_.generation() != std::exchange(generation_, space_.generation())) by_pc_.clear();
  if (const auto known = by_pc_.find(pc); known != by_pc_.end()) return known->second;
  Code code = describe(pc);
  if (numbers_.size() >= kMaxCodes) code = nameless("(too many places)");
  const auto [place, is_new] = numbers_.emplace(std::move(code), static_cast<std::uint32_t>(codes_.size()));
  if (is_new) codes_.push_back(&place->first);
  if (by_pc_.size() >= kMaxAddresses) by_pc_.clear();
  by_pc_.emplace(pc, place->second);
  return place->second;
}

NativeCodes::Code NativeCodes::describe(target::Address pc) {
  const AddressSpace::Place place = space_.find(pc);
  switch (place.kind) {
    case AddressSpace::Place::Kind::binary:
      if (place.binary != nullptr) return describe_binary(*place.binary, place.address);
      break;
    case AddressSpace::Place::Kind::anonymous:
      return describe_generated(pc);
    case AddressSpace::Place::Kind::nothing:
      break;
  }
  return nameless("unknown");
}

NativeCodes::Code NativeCodes::describe_binary(native::Binary& binary, target::LinkAddress address) const {
  const std::string& module = binary.path();
  const std::vector<native::NamedFrame> found = binary.symbols(process_).describe(address, options_.inlines);
  if (found.empty()) {
    Code code = nameless(module);
    code.home = home_of(module);
    if (code.home == Home::greenlet) code.home = Home::greenlet_start;  // for all we know
    if (code.home == Home::interpreter) code.role = Role::machinery;
    return code;
  }
  Code code{role_of(found.back().raw_name, module), home_of(module), true, {}};
  if (code.home == Home::greenlet && starts_greenlet(found.back().raw_name)) {
    code.home = Home::greenlet_start;
    code.role = Role::machinery;
  }
  for (const native::NamedFrame& frame : found) {
    NamedFrame& named = code.frames.emplace_back();
    named.kind = frame.inlined ? FrameKind::inlined : FrameKind::native;
    named.name = frame.name;
    named.file = frame.file.empty() ? module : frame.file;
    named.module = module;
    named.first_line = frame.first_line;
    named.line = options_.lines ? frame.line : 0;
  }
  return code;
}

// By a just-in-time compiler.
NativeCodes::Code NativeCodes::describe_generated(target::Address pc) {
  static const std::string kModule = "[generated code]";
  if (!std::exchange(has_generated_code_, true)) perf_map_.refresh();
  const auto name = perf_map_.find(pc);
  if (!name) return nameless(kModule);
  // What `python -X perf` puts between an evaluation and its caller, so that perf sees Python's names.
  const Role role = name->starts_with("py::") ? Role::machinery : Role::other;
  return {role, Home::other, true, {{FrameKind::native, std::string(*name), kModule, kModule, 0, 0}}};
}

void NativeCodes::keep_up() {
  if (has_generated_code_ && perf_map_.refresh()) by_pc_.clear();
}

Home NativeCodes::home_of(const std::string& module) const {
  if (module == interpreter_.file) return Home::interpreter;
  const std::string name = base_name(module);
  for (const std::string_view beginning :
       {"libc.so", "libc-2", "libpthread", "ld-linux", "ld-2", "ld-musl", "[vdso]"}) {
    if (name.starts_with(beginning)) return Home::c_library;
  }
  return switches_greenlets(name) ? Home::greenlet : Home::other;
}

stack::Role NativeCodes::role_of(const std::string& symbol, const std::string& module) const {
  if (cpython::begins_a_thread(symbol)) return Role::machinery;
  const bool is_interpreter = home_of(module) == Home::interpreter;
  // A program that is nothing but a call of libpython's main function.
  if (symbol == "main" && (is_interpreter || base_name(module).starts_with("python"))) return Role::machinery;
  return is_interpreter ? cpython::role_of(symbol, interpreter_.layout) : Role::other;
}

}  // namespace flametap::sampler

#include "native/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <csetjmp>

namespace flametap::native {
namespace {

constexpr std::string_view kPlt = "@plt";

// Some stand alone, some carry a number, some do either.
constexpr std::array<std::string_view, 10> kCloneWords{"cold", "part", "constprop",  "isra", "lto_priv",
                                                       "hot",  "llvm", "localalias", "warm", "clone"};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The part behind the last dot. Nothing before the dot: not a suffix but the whole name.
std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

std::string_view without_last_suffix(std::string_view name) {
  std::string_view rest = name;
  std::string_view part = last_part(rest);
  if (is_number(part)) {
    rest.remove_suffix(part.size() + 1);
    part = last_part(rest);
  }
  if (std::find(kCloneWords.begin(), kCloneWords.end(), part) == kCloneWords.end()) return name;
  return rest.substr(0, rest.size() - part.size() - 1);
}

// The text so far. Substitutions can make a short name exponentially long, and a callback has no other way to say
// "enough" than to leave: the demanglers with callbacks own no memory but the stack, so nothing is lost.
struct Output {
  std::string* text;
  std::jmp_buf enough;
};

void append(const char* piece, std::size_t length, void* opaque) {
  auto& output = *static_cast<Output*>(opaque);
  if (length > kMaxDemangledName - output.text->size()) std::longjmp(output.enough, 1);
  output.text->append(piece, length);
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

// `text` has room for all that append() accepts, so that no exception ever passes through C code.
bool run(Demangler demangler, const char* name, std::string& text) {
  Output output{.text = &text, .enough = {}};
  text.clear();
  if (setjmp(output.enough) != 0) return false;
  // Without its own limit, which refuses names longer than 1024; ours bounds the depth of its recursion as well.
  constexpr int kOptions = DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
  return demangler(name, kOptions, append, &output) != 0 && !text.empty();
}

}  // namespace

std::string_view without_clone_suffixes(std::string_view raw_name) {
  for (;;) {
    const std::string_view shorter = without_last_suffix(raw_name);
    if (shorter.size() == raw_name.size()) return raw_name;
    raw_name = shorter;
  }
}

std::string demangle(std::string_view raw_name) {
  std::string_view base = raw_name;
  const bool is_plt = base.ends_with(kPlt);
  if (is_plt) base.remove_suffix(kPlt.size());
  base = without_clone_suffixes(base);
  const std::string name(base);
  const std::string_view suffix = is_plt ? kPlt : std::string_view();

  const bool may_be_mangled = base.starts_with("_Z") || base.starts_with("_R");
  if (may_be_mangled && name.size() <= kMaxMangledName) {
    std::string text;
    text.reserve(kMaxDemangledName);
    // Rust first: its older mangling is valid C++ too, with the hash as one more name.
    for (const Demangler demangler : {rust_demangle_callback, cplus_demangle_v3_callback}) {
      if (run(demangler, name.c_str(), text)) return std::string(text).append(suffix);
    }
  }
  return std::string(name).append(suffix);
}

}  // namespace flametap::native

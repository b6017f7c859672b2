// Names of functions as people know them: without the compiler's encoding of types.
//
// The demanglers are libiberty's, which binutils and gdb use. A name may come from a hostile file: what is longer than
// kMaxMangledName, or would become longer than kMaxDemangledName, is left as it is. Any thread may call.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flametap::native {

inline constexpr std::size_t kMaxMangledName = 4096;
inline constexpr std::size_t kMaxDemangledName = 16 * 1024;

// C++ and Rust (both manglings) without parameters, return type and hash, but with template arguments; every name
// without the suffixes of compiler-made copies and parts; "@plt" at the end stays. Anything else is given back as it
// is.
[[nodiscard]] std::string demangle(std::string_view raw_name);

// Without ".cold", ".part.0", ".constprop.0", ".isra.0", ".lto_priv.0", ".localalias", ".llvm.123" and the like, any
// number of them: the function as the programmer wrote it.
[[nodiscard]] std::string_view without_clone_suffixes(std::string_view raw_name);

}  // namespace flametap::native

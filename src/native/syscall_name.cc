#include "native/syscall_name.h"

#include <algorithm>
#include <iterator>

namespace flametap::native {
namespace {

struct SystemCall {
  std::int64_t number;
  const char* name;
};

// In the order of the names, as CMake can sort: looked up rarely enough for that.
constexpr SystemCall kSystemCalls[] = {
#include <syscall_names.inc>
};

}  // namespace

std::string syscall_name(std::int64_t number) {
  const auto found = std::find_if(std::begin(kSystemCalls), std::end(kSystemCalls),
                                  [&](const SystemCall& call) { return call.number == number; });
  return found != std::end(kSystemCalls) ? found->name : "syscall_" + std::to_string(number);
}

}  // namespace flametap::native

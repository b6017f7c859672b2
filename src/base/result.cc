#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace flametap {
namespace {

Failure kind_of(int error_number) {
  switch (error_number) {
    case EPERM:
    case EACCES:
      return Failure::not_permitted;
    case ESRCH:
      return Failure::no_such_process;
    default:
      return Failure::failed;
  }
}

}  // namespace

Error errno_error(const std::string& what, int error_number) {
  return {kind_of(error_number), what + ": " + std::strerror(error_number), "", error_number};
}

}  // namespace flametap

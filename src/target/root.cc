#include "target/root.h"

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace flametap::target {

Result<Fd> root_of(const Process& process) { return process.open_file("root", O_PATH | O_DIRECTORY); }

Fd open_in_root(const Process& process, const std::string& path) {
  const Result<Fd> root = root_of(process);
  return root ? open_in_root(*root, path) : Fd();
}

Fd open_in_root(const Fd& root, const std::string& path) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(kReadForeign);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how)));
}

}  // namespace flametap::target

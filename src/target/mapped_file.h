// Finding the very file that a process has mapped, when its path may mean another file by now, or here.
#pragma once

#include "base/result.h"
#include "target/elf_file.h"
#include "target/elf_image.h"
#include "target/maps.h"
#include "target/process.h"

namespace flametap::target {

// Tries, in this order: the path inside the process's own root, the path here, the kernel's link to the mapped file
// (root only), and /proc/PID/exe. A file that is neither the same inode nor of the same build id is never taken.
[[nodiscard]] Result<ElfFile> open_mapped_file(const Process& process, const Mapping& mapping, const ElfImage& image);

}  // namespace flametap::target

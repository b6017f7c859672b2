#include "native/perf_map_file.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "target/root.h"

namespace flametap::native {
namespace {

pid_t inner_pid(const target::Process& process) {
  const auto threads = process.thread_ids();
  if (threads) {
    for (const auto& ids : *threads) {
      if (ids.tid == process.pid()) return ids.inner_tid;
    }
  }
  return process.pid();
}

// The time of day at which it began, within a second or two: the clock may have been set since.
std::int64_t start_second(const target::Process& process) {
  timespec now{};
  timespec up{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  const auto ticks_per_second = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  return now.tv_sec - up.tv_sec + static_cast<std::int64_t>(process.start_time() / ticks_per_second);
}

}  // namespace

// A file from before belongs to an earlier process that had the same pid.
bool PerfMapFile::is_trusted(const struct stat& status) const {
  constexpr std::int64_t kSlack = 2;
  const auto user = process_->status();
  const bool is_owned = user && (status.st_uid == user->real_uid || status.st_uid == user->effective_uid);
  return S_ISREG(status.st_mode) && (is_owned || status.st_uid == 0) &&
         status.st_mtim.tv_sec + kSlack >= start_second(*process_);
}

bool PerfMapFile::refresh() {
  const Fd file = target::open_in_root(*process_, "/tmp/perf-" + std::to_string(inner_pid(*process_)) + ".map");
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !is_trusted(status)) return false;
  const auto size = std::min(static_cast<std::size_t>(std::max<off_t>(0, status.st_size)), kMaxPerfMapBytes);
  if (status.st_dev != device_ || status.st_ino != inode_ || size < read_) {
    map_.clear();
    read_ = 0;
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  return read_on(file, size);
}

bool PerfMapFile::read_on(const Fd& file, std::size_t size) {
  // A line with the longest name fits, so a block without the end of a line has none that counts.
  constexpr std::size_t kBlock = 1u << 20;
  static_assert(kBlock > 2 * kMaxPerfMapName);
  std::vector<char> block(std::min(kBlock, size - read_));
  const std::size_t begin = read_;
  while (read_ < size) {
    const std::size_t wanted = std::min(block.size(), size - read_);
    const ssize_t length = ::pread(file.get(), block.data(), wanted, static_cast<off_t>(read_));
    if (length <= 0) break;
    const std::size_t taken = map_.add({block.data(), static_cast<std::size_t>(length)});
    const bool is_last = read_ + static_cast<std::size_t>(length) >= size;
    if (taken == 0 && is_last) break;  // the line is still being written
    read_ += taken != 0 ? taken : static_cast<std::size_t>(length);
  }
  return read_ != begin;
}

}  // namespace flametap::native

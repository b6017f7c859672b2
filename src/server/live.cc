#include "server/live.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace flametap::server {

Result<std::shared_ptr<LiveRecording>> LiveRecording::open(const std::string& path, store::Entry about) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error("cannot open " + path, errno);
  return std::shared_ptr<LiveRecording>(new LiveRecording(std::move(file), std::move(about)));
}

store::Entry LiveRecording::entry() const {
  store::Entry entry = about_;
  entry.bytes = size();
  const Nanoseconds now = is_complete() ? Nanoseconds{ended_unix_ns_} : unix_now();
  entry.duration_ns = now > entry.start_unix_ns ? now - entry.start_unix_ns : 0;
  return entry;
}

std::uint64_t LiveRecording::size() const {
  struct stat status {};
  return ::fstat(file_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

Result<std::string> LiveRecording::read(std::uint64_t from, std::size_t max) const {
  std::string bytes(max, '\0');
  std::size_t have = 0;
  while (have < max) {
    const ssize_t got = ::pread(file_.get(), bytes.data() + have, max - have, static_cast<off_t>(from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("cannot read the recording", errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

void LiveRecording::complete() { ended_unix_ns_ = unix_now(); }

void LiveRecording::note_request() { last_request_ = monotonic_now(); }

std::optional<Nanoseconds> LiveRecording::last_request() const {
  const Nanoseconds last = last_request_;
  return last != 0 ? std::optional(last) : std::nullopt;
}

void LiveRecordings::add(const std::shared_ptr<LiveRecording>& recording) {
  const std::lock_guard guard(lock_);
  recordings_[recording->entry().id] = recording;
}

void LiveRecordings::remove(const store::ProfileId& id) {
  const std::lock_guard guard(lock_);
  recordings_.erase(id);
}

std::shared_ptr<LiveRecording> LiveRecordings::find(const store::ProfileId& id) const {
  const std::lock_guard guard(lock_);
  const auto found = recordings_.find(id);
  return found == recordings_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<LiveRecording>> LiveRecordings::all() const {
  const std::lock_guard guard(lock_);
  std::vector<std::shared_ptr<LiveRecording>> all;
  for (const auto& [id, recording] : recordings_) all.push_back(recording);
  return all;
}

}  // namespace flametap::server

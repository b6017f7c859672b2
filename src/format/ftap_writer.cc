#include "format/ftap_writer.h"

#include <sys/random.h>

#include <utility>

#include "base/clock.h"

namespace flametap::format {
namespace {

std::uint64_t random_id() {
  std::uint64_t id = monotonic_now();  // in case that there is no better
  (void)!::getrandom(&id, sizeof id, GRND_NONBLOCK);
  return id;
}

}  // namespace

Result<std::unique_ptr<FtapWriter>> FtapWriter::create(const std::string& path, Existing existing,
                                                       std::uint32_t time_unit_ns) {
  FtapEncoder encoder({.recording_id = random_id(), .time_unit_ns = time_unit_ns});
  Result<GrowingFile> file = GrowingFile::create(path, existing, encoder.header());
  if (!file) return file.error();
  return std::unique_ptr<FtapWriter>(new FtapWriter(std::move(encoder), std::move(*file)));
}

Result<void> FtapWriter::add(const profile::Profile& tables, const profile::Sample& sample) {
  encoder_.add(sample);
  return encoder_.full() ? checkpoint(tables) : Result<void>{};
}

Result<void> FtapWriter::checkpoint(const profile::Profile& tables) {
  for (bool more = true; more;) {
    more = encoder_.next_chunk(tables, chunk_);
    if (Result<void> appended = file_.append(chunk_); !appended) return appended;
  }
  return {};
}

Result<void> FtapWriter::finish(const profile::Profile& tables) {
  for (bool more = true; more;) {
    more = encoder_.last_chunk(tables, chunk_);
    if (Result<void> appended = file_.append(chunk_); !appended) return appended;
  }
  return {};
}

std::string write_ftap(const profile::Profile& profile) {
  FtapEncoder encoder({.recording_id = profile.recording.start_unix_ns});  // the same profile gives the same bytes
  std::string file = encoder.header();
  std::string chunk;
  for (const profile::Sample& sample : profile.samples()) {
    if (encoder.full()) {
      for (bool more = true; more;) {
        more = encoder.next_chunk(profile, chunk);
        file += chunk;
      }
    }
    encoder.add(sample);
  }
  for (bool more = true; more;) {
    more = encoder.last_chunk(profile, chunk);
    file += chunk;
  }
  return file;
}

}  // namespace flametap::format

// For tests: a small recording, written chunk by chunk as a recorder does it, and where each chunk ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/byte_source.h"
#include "format/ftap_encoder.h"
#include "format/ftap_reader.h"
#include "profile/profile.h"
#include "profile/test_profile.h"

namespace flametap::format {

class TestRecording {
 public:
  explicit TestRecording(FtapEncoder::Options options = {.recording_id = 77}) : encoder_(options) {
    bytes = encoder_.header();
    recording().mode = profile::Mode::wall;
    recording().rate_hz = 1000;
    recording().start_unix_ns = 1'760'000'000'123'456'789;
  }

  profile::Recording& recording() { return tables.profile.recording; }

  void sample(profile::ThreadId thread, std::initializer_list<profile::TestFrame> frames, stack::State state = 3) {
    recording().duration_ns += 1'000'000;
    recording().quality.ticks += 1;
    const std::uint64_t time = recording().duration_ns + recording().quality.ticks % 7;
    const profile::Sample sample{time, 1'000'000, thread, tables.stack(frames), 1, state};
    encoder_.add(sample);
    samples.push_back(sample);
  }

  void checkpoint() {
    for (bool more = true; more;) {
      more = encoder_.next_chunk(tables.profile, chunk_);
      keep_chunk(more);
    }
  }

  void finish() {
    recording().ended = "the time was up";
    for (bool more = true; more;) {
      more = encoder_.last_chunk(tables.profile, chunk_);
      keep_chunk(more);
    }
  }

  struct Chunk {
    std::size_t end;      // its last byte is before this
    std::size_t samples;  // up to here
  };

  profile::TestProfile tables;
  std::vector<profile::Sample> samples;
  std::string bytes;
  std::vector<Chunk> chunks;

 private:
  void keep_chunk(bool more) {
    bytes += chunk_;
    const std::size_t before = chunks.empty() ? 0 : chunks.back().samples;
    chunks.push_back({bytes.size(), more ? before : samples.size()});
  }

  FtapEncoder encoder_;
  std::string chunk_;
};

// Three threads, some seconds, new functions in each.
inline TestRecording small_recording() {
  TestRecording recording;
  const profile::ThreadId main = recording.tables.thread("MainThread", 7);
  const profile::ThreadId worker = recording.tables.thread("worker", 8);
  recording.sample(main, {{"main", "/a.py", 1}, {"load", "/a.py", 2}});
  recording.sample(worker, {{"run", "/b.py", 3}}, 0);
  recording.checkpoint();
  recording.sample(main, {{"main", "/a.py", 1}, {"work", "/a.py", 9}});
  recording.sample(worker, {{"run", "/b.py", 3}, {"wait", "/c.py", 5}});
  recording.sample(main, {{"main", "/a.py", 1}, {"load", "/a.py", 2}});
  recording.checkpoint();
  const profile::ThreadId other = recording.tables.thread("", 9, 8);
  recording.sample(other, {});
  recording.sample(other, {{"fork", "/d.py", 70'000}});
  recording.checkpoint();
  recording.sample(main, {{"main", "/a.py", 1}, {"work", "/a.py", 10}});
  recording.finish();
  return recording;
}

inline Result<ReadProfile> read_bytes(std::string_view bytes, bool keep_time = true) {
  return read_ftap(MemorySource(std::as_bytes(std::span(bytes))), {.keep_time = keep_time});
}

}  // namespace flametap::format

// Recordings that still grow: LiveRecording is one, LiveRecordings those that a server shows.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "store/store.h"

namespace flametap::server {

// A growing .ftap file that another thread or process writes. Every call may come from any thread.
class LiveRecording {
 public:
  // `about` says what is known of it now: its size and duration follow by themselves; samples are not counted.
  [[nodiscard]] static Result<std::shared_ptr<LiveRecording>> open(const std::string& path, store::Entry about);

  [[nodiscard]] store::Entry entry() const;
  [[nodiscard]] std::uint64_t size() const;
  // What is there of it; nothing behind its end.
  [[nodiscard]] Result<std::string> read(std::uint64_t from, std::size_t max) const;

  // Nothing is added to it from now on.
  void complete();
  [[nodiscard]] bool is_complete() const { return ended_unix_ns_ != 0; }
  // A client asks for what is new.
  void note_request();
  [[nodiscard]] std::optional<Nanoseconds> last_request() const;  // by the monotonic clock
  // All of the complete recording that a client did not have was read for it.
  void note_rest() { rest_was_read_ = true; }
  [[nodiscard]] bool rest_was_read() const { return rest_was_read_; }

 private:
  LiveRecording(Fd file, store::Entry about) : file_(std::move(file)), about_(std::move(about)) {}

  Fd file_;
  store::Entry about_;
  std::atomic<Nanoseconds> ended_unix_ns_ = 0;  // 0: it still grows
  std::atomic<Nanoseconds> last_request_ = 0;   // 0: there was none
  std::atomic<bool> rest_was_read_ = false;
};

class LiveRecordings {
 public:
  void add(const std::shared_ptr<LiveRecording>& recording);
  void remove(const store::ProfileId& id);
  // Null: there is none.
  [[nodiscard]] std::shared_ptr<LiveRecording> find(const store::ProfileId& id) const;
  [[nodiscard]] std::vector<std::shared_ptr<LiveRecording>> all() const;

 private:
  mutable std::mutex lock_;
  std::map<store::ProfileId, std::shared_ptr<LiveRecording>> recordings_;
};

}  // namespace flametap::server

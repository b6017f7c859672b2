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

  // Nothing is added to it any more.
  void complete() { is_complete_ = true; }
  // Somebody asks for what is new; gives whether it is complete, so that this is the rest.
  [[nodiscard]] bool note_request();
  [[nodiscard]] std::optional<Nanoseconds> last_request() const;  // by the monotonic clock
  [[nodiscard]] bool rest_was_requested() const { return rest_was_requested_; }

 private:
  LiveRecording(Fd file, store::Entry about) : file_(std::move(file)), about_(std::move(about)) {}

  Fd file_;
  store::Entry about_;
  std::atomic<bool> is_complete_ = false;
  std::atomic<bool> rest_was_requested_ = false;
  std::atomic<Nanoseconds> last_request_ = 0;  // 0: there was none
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

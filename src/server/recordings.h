// Recordings: makes recordings of processes of this machine, each by a process of its own, so that neither rights nor
// faults of a recording are the server's.
//
// A recording grows as a file in `folder`, is listed as live, and moves to the store under the same id when it ends. If
// the server dies first, the file waits for the next one: see adopt(). Every call may come from any thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "server/intake.h"
#include "server/live.h"

namespace flametap::server {

struct RecordingRequest {
  pid_t pid = 0;
  std::uint64_t seconds = 10;
  std::uint64_t rate_hz = 1000;
};

inline constexpr std::uint64_t kMaxRecordingSeconds = 3600;
inline constexpr std::uint64_t kMaxRecordingRate = 10'000;

class Recordings {
 public:
  struct Options {
    std::string program;  // the path of flametap
    std::string folder;
    std::string host = {};  // the name of this machine
    std::size_t max_running = 4;
    std::function<void(const Error&)> complain = [](const Error&) {};  // told what nobody asked for
  };

  // Borrows both.
  Recordings(Options options, Intake& intake, LiveRecordings& live)
      : options_(std::move(options)), intake_(intake), live_(live) {}
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;
  // Ends those that run; what they have is kept.
  ~Recordings();

  // Waits until it records, or has failed: then the error is the recorder's own.
  [[nodiscard]] Result<store::ProfileId> start(const RecordingRequest& request);

  // Puts into the store what a server left behind that died; how many there were. What is still being written is left
  // for the next time.
  [[nodiscard]] std::size_t adopt();

 private:
  struct Running {
    Running(store::ProfileId of, pid_t recorder) : id(std::move(of)), process(recorder) {}

    store::ProfileId id;
    pid_t process;
    std::atomic<bool> ended = false;
    bool reaped = false;
    std::thread waiter = {};
  };

  [[nodiscard]] std::string path(const store::ProfileId& id, const char* ending) const;
  [[nodiscard]] Result<pid_t> spawn(const RecordingRequest& request, const store::ProfileId& id) const;
  [[nodiscard]] Result<void> wait_for_start(pid_t process, const store::ProfileId& id) const;
  [[nodiscard]] Error why_it_failed(const store::ProfileId& id, int wait_status) const;
  void watch(Running& running);
  [[nodiscard]] bool move_to_store(const store::ProfileId& id) const;
  void remove_files(const store::ProfileId& id) const;
  void reap();

  Options options_;
  Intake& intake_;
  LiveRecordings& live_;
  std::mutex lock_;
  std::mutex reaping_;  // of `reaped`, and of what is done to a process that it says is there
  std::list<Running> running_;
};

}  // namespace flametap::server

// LivePage: a recording in the browser while it grows, served to this machine only, from a thread of its own, and only
// to those who know its address: a token is part of it.
//
// All calls come from one thread. It gets none of the process's signals, and it is opened before the recording's own
// thread takes its priority, so that serving never has it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/store.h"

namespace flametap::cli {

class LivePage {
 public:
  // Listens from now on; 0: on any port that is free.
  [[nodiscard]] static Result<std::unique_ptr<LivePage>> open(std::uint16_t port);
  LivePage(const LivePage&) = delete;
  LivePage& operator=(const LivePage&) = delete;
  ~LivePage();

  // What is known of the recording.
  struct About {
    std::string name;
    std::string command;
    std::string python;
    double rate_hz;
    std::string mode;  // which time counts when the page opens
  };
  // The growing .ftap file can be watched at the URL that is given.
  [[nodiscard]] Result<std::string> show(const std::string& path, const About& about);

  // Marks the recording complete. If a page watches it, calls `on_wait` and waits until the page has read the rest, or
  // has asked for nothing for ten seconds, as one that was closed, or until `gives_up` returns true.
  void finish(const std::function<void()>& on_wait, const std::function<bool()>& gives_up);

 private:
  class Impl;
  explicit LivePage(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flametap::cli

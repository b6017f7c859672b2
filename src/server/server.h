// Server: listens, and gives every connection a Session. One thread does the I/O, pools do the work.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "server/places.h"
#include "server/service.h"

namespace flametap::server {

class Server {
 public:
  struct Options {
    std::string address = "127.0.0.1";  // a number; IPv6 without brackets
    std::uint16_t port = 8040;          // 0: any that is free
    Places::Limits places = {};
    std::uint64_t max_held_bytes = std::uint64_t{512} << 20;  // by all requests and responses together
  };

  // Listens from now on. Borrows the service.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(const Options& options, const Service& service);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // "http://127.0.0.1:8040/"; an address for everybody is shown as the local one.
  [[nodiscard]] std::string url() const;

  // Ends with the process's next SIGINT or SIGTERM; to be called before run().
  void stop_on_signals();
  // Serves until it is stopped. Requests that are being worked on are finished first.
  void run();
  // From any thread.
  void stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace flametap::server

// Places: how many connections there may be, and which one gives way to a new one when there are too many.
//
// Whoever reaches the server can open connections and say nothing, without any token. Such a connection must not keep
// out one that has something to say: it gives way, the one that has been like that for the longest time first. A new
// connection is then the last in that order, and has time to send its request while all others give way before it.
//
// Every call may come from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>

namespace flametap::server {

class Places {
 public:
  using Id = std::uint64_t;

  struct Limits {
    std::size_t all = 256;
    std::size_t fresh_per_peer = 64;  // a proxy's connections are of one peer, but do not stay fresh
  };

  enum class Standing : std::uint8_t {
    fresh,  // has not sent the complete head of a request yet
    spare,  // has, and nothing is done for it, or only what is done for everybody
    busy,   // a request is read or answered that whoever sent it has the right to: does not give way
  };

  explicit Places(const Limits& limits) : limits_(limits) {}

  // Takes a place for a fresh connection. If another one has to give way, `give_way` of that one is called; it has
  // no place any more. Nothing if there is no place and all are busy.
  [[nodiscard]] std::optional<Id> enter(std::string peer, std::function<void()> give_way);
  void set(Id id, Standing standing);
  // May be called again.
  void leave(Id id);

 private:
  struct Place {
    Id id;
    std::string peer;
    Standing standing;
    std::function<void()> give_way;
  };
  using Iterator = std::list<Place>::iterator;

  // All of these with the lock held.
  [[nodiscard]] Iterator find(Id id);
  [[nodiscard]] Iterator oldest_fresh_of(const std::string& peer);
  [[nodiscard]] Iterator oldest_not_busy();
  [[nodiscard]] std::size_t fresh_of(const std::string& peer) const;

  Limits limits_;
  std::mutex lock_;
  std::list<Place> places_;  // in the order in which they came, or were busy for the last time
  Id last_id_ = 0;
};

// What counts as one peer: an address of IPv4, or the first half of one of IPv6, as whoever has one has the 2^64 others
// that begin like it.
[[nodiscard]] std::string network_of(const std::string& address);

}  // namespace flametap::server

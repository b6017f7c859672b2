#include "server/places.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace flametap::server {

std::optional<Places::Id> Places::enter(std::string peer, std::function<void()> give_way) {
  std::function<void()> gives_way;
  std::unique_lock guard(lock_);
  if (fresh_of(peer) >= limits_.fresh_per_peer || places_.size() >= limits_.all) {
    const auto going = fresh_of(peer) >= limits_.fresh_per_peer ? oldest_fresh_of(peer) : oldest_not_busy();
    if (going == places_.end()) return std::nullopt;
    gives_way = std::move(going->give_way);
    places_.erase(going);
  }
  places_.push_back({++last_id_, std::move(peer), Standing::fresh, std::move(give_way)});
  const Id id = last_id_;
  guard.unlock();  // it may be the end of that connection, which leaves
  if (gives_way) gives_way();
  return id;
}

void Places::set(Id id, Standing standing) {
  const std::lock_guard guard(lock_);
  const auto place = find(id);
  if (place == places_.end()) return;
  const bool was_busy = std::exchange(place->standing, standing) == Standing::busy;
  if (was_busy && standing != Standing::busy) places_.splice(places_.end(), places_, place);
}

void Places::leave(Id id) {
  const std::lock_guard guard(lock_);
  if (const auto place = find(id); place != places_.end()) places_.erase(place);
}

Places::Iterator Places::find(Id id) {
  return std::ranges::find_if(places_, [id](const Place& place) { return place.id == id; });
}

Places::Iterator Places::oldest_fresh_of(const std::string& peer) {
  return std::ranges::find_if(
      places_, [&peer](const Place& place) { return place.standing == Standing::fresh && place.peer == peer; });
}

Places::Iterator Places::oldest_not_busy() {
  return std::ranges::find_if(places_, [](const Place& place) { return place.standing != Standing::busy; });
}

std::size_t Places::fresh_of(const std::string& peer) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      places_, [&peer](const Place& place) { return place.standing == Standing::fresh && place.peer == peer; }));
}

std::string network_of(const std::string& address) {
  constexpr std::string_view kIpv4 = "::ffff:";  // as a socket for both has it
  if (address.starts_with(kIpv4) && address.find('.') != std::string::npos) return address.substr(kIpv4.size());
  in6_addr parsed{};
  const std::string without_zone = address.substr(0, address.find('%'));
  if (::inet_pton(AF_INET6, without_zone.c_str(), &parsed) != 1) return address;
  std::fill(std::begin(parsed.s6_addr) + sizeof parsed.s6_addr / 2, std::end(parsed.s6_addr), std::uint8_t{0});
  std::array<char, INET6_ADDRSTRLEN> text{};
  return ::inet_ntop(AF_INET6, &parsed, text.data(), text.size());
}

}  // namespace flametap::server

// Intake: makes a stored profile out of whatever was sent, within bounds that no sender can move.
//
// Everything that `report` reads is taken, in gzip or not. An .ftap recording is kept as it came, anything else is
// converted. Every call may come from any thread; large ones go one at a time, so that memory has a bound that does not
// grow with the number of senders.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "profile/profile.h"
#include "server/message.h"
#include "store/store.h"

namespace flametap::server {

// What a profile may have at most to be taken, and to be converted afterwards.
inline constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 22;    // of each table, and of samples
inline constexpr std::size_t kMaxPlainBytes = std::size_t{1} << 28;  // of a compressed one, unpacked
inline constexpr std::size_t kMaxJsonBytes = std::size_t{1} << 25;   // as a document it takes 25 times as much

struct Label {
  std::string name = {};  // empty: told by the command
  std::vector<std::string> tags = {};
  std::string host = {};
};

// What its sender knows better than the file.
struct Known {
  Nanoseconds start_unix_ns = 0;
  Nanoseconds duration_ns = 0;
  double rate_hz = 0;
};

struct Prepared {
  store::Entry entry;
  std::string ftap;
  std::string thumbnail;
  std::vector<std::string> warnings;  // what could not be read of it, for people
};

class Intake {
 public:
  explicit Intake(store::Store& store, store::Retention retention) : store_(store), retention_(retention) {}

  // Reads and converts; an error says why it cannot be.
  [[nodiscard]] Result<Prepared> prepare(std::string_view bytes, const Label& label, const Known& known = {});
  // From success on it stays, whatever happens. Then too old ones go.
  [[nodiscard]] Result<void> keep(const Prepared& prepared);
  [[nodiscard]] Result<std::optional<store::Entry>> find(const store::ProfileId& id) { return store_.find(id); }

 private:
  [[nodiscard]] Result<Prepared> convert(std::string_view bytes, const Label& label, const Known& known);

  store::Store& store_;
  store::Retention retention_;
  std::mutex large_;
};

// What the tables of a recording say, as a store keeps it.
void describe(const profile::Profile& profile, store::Entry& entry);

}  // namespace flametap::server

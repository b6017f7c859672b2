// ClockTable: the trusted time of a store, kept in its database from one run of the server to the next.
//
// One thread at a time, and always with the same database.
#pragma once

#include <optional>

#include "base/clock.h"
#include "store/sqlite.h"
#include "store/trusted_time.h"

namespace flametap::store {

class ClockTable {
 public:
  // The time that ages are taken by when the clock says `now_unix_ns`.
  [[nodiscard]] Nanoseconds trusted_time(Database& database, Nanoseconds now_unix_ns);
  // Whether the clock was in doubt when it was asked last.
  [[nodiscard]] bool is_in_doubt() const { return time_ && time_->doubted_since != 0; }

  // What was noted last. If there is no room for it, the next run knows less, and deletes less.
  void save(Database& database);
  // Does so if the last time was an hour ago, or the clock came in doubt or out of it: each is a write to the disk.
  void save_if_needed(Database& database);

 private:
  std::optional<TrustedTime> time_;      // read when it is needed first
  TrustedTime saved_;                    // as the database has it
  std::optional<Nanoseconds> asked_at_;  // by a clock that does not jump
};

}  // namespace flametap::store

#include "store/clock_table.h"

#include <ctime>

namespace flametap::store {
namespace {

constexpr Nanoseconds kBetweenSaves = 3600 * kSecond;

// Goes on while the machine sleeps, and does not jump.
Nanoseconds time_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * kSecond + static_cast<Nanoseconds>(now.tv_nsec);
}

// A file of an older version has no such table: then the newest profile tells when it was used.
TrustedTime saved_time(Database& database) {
  Statement saved(database, "SELECT seen, trusted, doubted_since FROM clock");
  if (const auto row = saved.step(); row && *row)
    return {.seen = saved.number(0), .trusted = saved.number(1), .doubted_since = saved.number(2)};
  Statement newest(database, "SELECT uploaded_unix_ns FROM profile ORDER BY number DESC LIMIT 1");
  if (const auto row = newest.step(); row && *row) return {.seen = newest.number(0), .trusted = newest.number(0)};
  return {};
}

}  // namespace

Nanoseconds ClockTable::trusted_time(Database& database, Nanoseconds now_unix_ns) {
  const Nanoseconds steady = time_since_boot();
  if (!time_) time_ = saved_ = saved_time(database);
  time_ = after(*time_, now_unix_ns, asked_at_ ? std::optional(steady - *asked_at_) : std::nullopt);
  asked_at_ = steady;
  return time_->trusted;
}

void ClockTable::save(Database& database) {
  if (!time_ || !database.run("CREATE TABLE IF NOT EXISTS clock (one INTEGER PRIMARY KEY, seen INTEGER NOT NULL,"
                              "  trusted INTEGER NOT NULL, doubted_since INTEGER NOT NULL)"))
    return;
  Statement replace(database, "INSERT OR REPLACE INTO clock VALUES (1, ?, ?, ?)");
  if (replace.bind(time_->seen).bind(time_->trusted).bind(time_->doubted_since).step()) saved_ = *time_;
}

void ClockTable::save_if_needed(Database& database) {
  // A clock that went back is a difference of many years here.
  const bool is_recent = time_ && time_->seen - saved_.seen < kBetweenSaves;
  if (!is_recent || saved_.doubted_since != time_->doubted_since) save(database);
}

}  // namespace flametap::store

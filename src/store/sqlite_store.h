// SqliteStore: a Store in one file of SQLite, with its write-ahead log beside it. See
// docs/decisions/0010-sqlite-and-beast.md.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/clock_table.h"
#include "store/reserve.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace flametap::store {

class SqliteStore final : public Store {
 public:
  // Fails if the file was written by a newer version.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& path);
  // Gone with the object.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> in_memory() { return open(kInMemory); }

  [[nodiscard]] Result<void> add(const Entry& entry, std::string_view ftap, std::string_view thumbnail) override;
  [[nodiscard]] Result<Listing> list(const Query& query) override;
  [[nodiscard]] Result<std::optional<Entry>> find(const ProfileId& id) override;
  [[nodiscard]] Result<std::string> read(const ProfileId& id, std::uint64_t from, std::size_t max) override;
  [[nodiscard]] Result<std::optional<std::string>> thumbnail(const ProfileId& id) override;
  [[nodiscard]] Result<std::optional<Entry>> update(const ProfileId& id, const Change& change) override;
  [[nodiscard]] Result<bool> remove(const ProfileId& id) override;
  [[nodiscard]] Result<std::size_t> clean(const Retention& retention, Nanoseconds now_unix_ns) override;

  // Notes for the next one who opens the file that the store was used until now. clean() does so from time to time.
  void note_time(Nanoseconds now_unix_ns);
  // Whether the time that clean() was told last is in doubt: then nothing became too old by it.
  [[nodiscard]] bool doubts_the_clock();

 private:
  static constexpr const char* kInMemory = ":memory:";

  SqliteStore(Database database, Reserve reserve, std::string path)
      : database_(std::move(database)), reserve_(std::move(reserve)), path_(std::move(path)) {}

  // All of these with the lock held.
  [[nodiscard]] Result<std::optional<Entry>> find_locked(const ProfileId& id);
  [[nodiscard]] Result<void> put_pieces(std::uint64_t number, std::string_view ftap);
  [[nodiscard]] Result<void> add_locked(const Entry& entry, std::string_view ftap, std::string_view thumbnail);
  [[nodiscard]] Result<void> check_room(std::uint64_t bytes);
  // Also on a full disk, as long as there is a reserve.
  [[nodiscard]] Result<void> remove_numbers(const std::vector<std::uint64_t>& numbers);
  [[nodiscard]] Result<void> remove_together(const std::vector<std::uint64_t>& numbers);
  [[nodiscard]] Result<std::vector<std::uint64_t>> older_than(Nanoseconds unix_ns);
  [[nodiscard]] Result<std::vector<std::uint64_t>> beyond_bytes(std::uint64_t max_bytes);
  // Gives what is free in the file back to the disk, as far as it can.
  void shrink();
  // Moves what the log holds into the file; false if not all of it could be moved.
  [[nodiscard]] bool empty_log();

  std::mutex lock_;  // of the one connection
  Database database_;
  Reserve reserve_;
  ClockTable clock_;
  std::string path_;  // empty: in memory
};

}  // namespace flametap::store

// SqliteStore: a Store in one file of SQLite, with its write-ahead log beside it. See
// docs/decisions/0010-sqlite-and-beast.md.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "store/sqlite.h"
#include "store/store.h"

namespace flametap::store {

class SqliteStore final : public Store {
 public:
  // Fails if the file was written by a newer version.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(const std::string& path);
  // Gone with the object.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> in_memory() { return open(":memory:"); }

  [[nodiscard]] Result<void> add(const Entry& entry, std::string_view ftap, std::string_view thumbnail) override;
  [[nodiscard]] Result<Listing> list(const Query& query) override;
  [[nodiscard]] Result<std::optional<Entry>> find(const ProfileId& id) override;
  [[nodiscard]] Result<std::string> read(const ProfileId& id, std::uint64_t from, std::size_t max) override;
  [[nodiscard]] Result<std::optional<std::string>> thumbnail(const ProfileId& id) override;
  [[nodiscard]] Result<std::optional<Entry>> update(const ProfileId& id, const Change& change) override;
  [[nodiscard]] Result<bool> remove(const ProfileId& id) override;
  [[nodiscard]] Result<std::size_t> clean(const Retention& retention, Nanoseconds now_unix_ns) override;

 private:
  explicit SqliteStore(Database database) : database_(std::move(database)) {}

  // All of these with the lock held.
  [[nodiscard]] Result<std::optional<Entry>> find_locked(const ProfileId& id);
  [[nodiscard]] Result<void> put_pieces(std::uint64_t number, std::string_view ftap);
  [[nodiscard]] Result<void> remove_number(std::uint64_t number);
  [[nodiscard]] Result<std::size_t> remove_old(Nanoseconds before_unix_ns);
  [[nodiscard]] Result<std::size_t> remove_beyond(std::uint64_t max_bytes);

  std::mutex lock_;  // of the one connection
  Database database_;
};

}  // namespace flametap::store

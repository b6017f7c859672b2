// A database file of SQLite and its statements, as values that close themselves. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace flametap::store {

class Database {
 public:
  // Creates the file if there is none; `:memory:` is one that nobody else sees.
  [[nodiscard]] static Result<Database> open(const std::string& path);

  // Statements without a result, one behind the other.
  [[nodiscard]] Result<void> run(const char* sql);
  [[nodiscard]] Error error(const std::string& what) const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  explicit Database(sqlite3* handle) : handle_(handle) {}

  std::unique_ptr<sqlite3, Close> handle_;
};

// Errors of preparing and binding come out of the next step: until then it does nothing.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);

  // The values of the question marks, in their order.
  Statement& bind(std::int64_t number);
  Statement& bind(std::uint64_t number);  // what SQLite cannot hold becomes the largest that it can
  Statement& bind(double number);
  // Borrowed until the last step.
  Statement& bind(std::string_view text);
  Statement& bind_bytes(std::string_view bytes);

  // Whether there is a row.
  [[nodiscard]] Result<bool> step();

  [[nodiscard]] std::uint64_t number(int column) const;  // never negative
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement& check(int code);

  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  bool broken_ = false;
};

// Undone unless it is committed.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  [[nodiscard]] Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;
};

}  // namespace flametap::store

#include "store/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace flametap::store {

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<Database> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);  // to be closed even if it could not be opened
  if (code != SQLITE_OK) return database.error("cannot open " + path);
  return database;
}

Result<void> Database::run(const char* sql) {
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error("the database");
  return {};
}

Error Database::error(const std::string& what) const {
  const int code = sqlite3_errcode(handle());
  const char* remedy = "";
  if (code == SQLITE_FULL) remedy = "make room on the disk, or keep less: --keep-days, --keep-bytes";
  if (code == SQLITE_IOERR) remedy = "see whether the disk is full, or broken: df, dmesg";
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) remedy = "put the file back from a copy, or move it away";
  return Error{Failure::failed, what + ": " + sqlite3_errmsg(handle()), remedy};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

Statement& Statement::check(int code) {
  broken_ = broken_ || code != SQLITE_OK;
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  return broken_ ? *this : check(sqlite3_bind_int64(statement_.get(), ++bound_, number));
}

Statement& Statement::bind(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return bind(static_cast<std::int64_t>(std::min(number, kMost)));
}

Statement& Statement::bind(double number) {
  return broken_ ? *this : check(sqlite3_bind_double(statement_.get(), ++bound_, number));
}

Statement& Statement::bind(std::string_view text) {
  if (broken_) return *this;
  const char* const start = text.empty() ? "" : text.data();  // a null pointer would be the value NULL
  return check(sqlite3_bind_text64(statement_.get(), ++bound_, start, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Statement& Statement::bind_bytes(std::string_view bytes) {
  if (broken_) return *this;
  const char* const start = bytes.empty() ? "" : bytes.data();
  return check(sqlite3_bind_blob64(statement_.get(), ++bound_, start, bytes.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  if (broken_) return database_.error("the database");
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_.error("the database");
}

std::uint64_t Statement::number(int column) const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(sqlite3_column_int64(statement_.get(), column), 0));
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const void* const start = sqlite3_column_blob(statement_.get(), column);
  if (start == nullptr) return "";
  return {static_cast<const char*>(start), static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Result<Transaction> Transaction::begin(Database& database) {
  if (const auto begun = database.run("BEGIN IMMEDIATE"); !begun) return begun.error();
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // There is nothing to be done about a failure: what is not committed is not there.
  if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Result<void> Transaction::commit() {
  if (const auto done = database_->run("COMMIT"); !done) return done.error();
  database_ = nullptr;
  return {};
}

}  // namespace flametap::store

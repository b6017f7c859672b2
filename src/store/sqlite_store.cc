#include "store/sqlite_store.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

namespace flametap::store {
namespace {

constexpr std::uint64_t kSchemaVersion = 1;
// A recording is stored in pieces, so that any part of it is found at once and none is large in memory.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxSearchWords = 8;
constexpr std::uint64_t kRoomForTables = std::uint64_t{1} << 20;  // beside the bytes of a recording

constexpr const char* kSettings =
    "PRAGMA auto_vacuum = INCREMENTAL;"  // so that the file shrinks after a clean-up
    "PRAGMA journal_mode = WAL;"
    "PRAGMA journal_size_limit = 4194304;"  // a log that one large recording made does not stay
    "PRAGMA synchronous = FULL;"            // a commit is on the disk before it is acknowledged
    "PRAGMA trusted_schema = OFF;";

constexpr const char* kSchema =
    "CREATE TABLE schema (version INTEGER NOT NULL);"
    "INSERT INTO schema VALUES (1);"
    "CREATE TABLE profile ("
    "  number INTEGER PRIMARY KEY AUTOINCREMENT,"  // the order in which they came
    "  id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, command TEXT NOT NULL, host TEXT NOT NULL, python TEXT NOT NULL,"
    "  tags TEXT NOT NULL, mode TEXT NOT NULL, rate_hz REAL NOT NULL, start_unix_ns INTEGER NOT NULL,"
    "  duration_ns INTEGER NOT NULL, uploaded_unix_ns INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    "  samples INTEGER NOT NULL, thumbnail BLOB NOT NULL);"
    "CREATE TABLE piece (number INTEGER NOT NULL, place INTEGER NOT NULL, bytes BLOB NOT NULL,"
    "  PRIMARY KEY (number, place));";

constexpr std::string_view kColumns =
    "id, name, command, host, python, tags, mode, rate_hz, start_unix_ns, duration_ns, uploaded_unix_ns, bytes, "
    "samples, number";
constexpr int kNumberColumn = 13;

// Each tag stands between line breaks, so that one is found by a plain search.
std::string joined(const std::vector<std::string>& tags) {
  std::string text = "\n";
  for (const std::string& tag : tags) text += tag + "\n";
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> tags;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) tags.push_back(line);
  }
  return tags;
}

Result<Entry> entry_of(const Statement& row) {
  const auto id = ProfileId::parse(row.text(0));
  if (!id) return Error{Failure::failed, "the database has a profile whose id is none", ""};
  return Entry{.id = *id,
               .name = row.text(1),
               .command = row.text(2),
               .host = row.text(3),
               .python = row.text(4),
               .tags = split(row.text(5)),
               .mode = row.text(6),
               .rate_hz = row.real(7),
               .start_unix_ns = row.number(8),
               .duration_ns = row.number(9),
               .uploaded_unix_ns = row.number(10),
               .bytes = row.number(11),
               .samples = row.number(12)};
}

// A pattern of LIKE that finds the word anywhere.
std::string pattern_of(const std::string& word) {
  std::string pattern = "%";
  for (const char character : word) {
    if (character == '%' || character == '_' || character == '\\') pattern += '\\';
    pattern += character;
  }
  return pattern + "%";
}

std::vector<std::string> patterns_of(const std::string& search) {
  std::vector<std::string> patterns;
  std::istringstream words(search);
  for (std::string word; patterns.size() < kMaxSearchWords && words >> word;) patterns.push_back(pattern_of(word));
  return patterns;
}

Result<std::uint64_t> number_from(Database& database, std::string_view sql) {
  Statement statement(database, sql);
  const auto row = statement.step();
  if (!row) return row.error();
  return *row ? statement.number(0) : 0;
}

Result<std::vector<std::uint64_t>> numbers_from(Statement& statement) {
  std::vector<std::uint64_t> numbers;
  while (true) {
    const auto row = statement.step();
    if (!row) return row.error();
    if (!*row) return numbers;
    numbers.push_back(statement.number(0));
  }
}

Result<void> done(Result<bool> step) {
  if (!step) return step.error();
  return {};
}

Result<void> prepare(Database& database) {
  if (const auto set = database.run(kSettings); !set) return set.error();
  const auto tables = number_from(database, "SELECT count(*) FROM sqlite_master WHERE name = 'schema'");
  if (!tables) return tables.error();
  if (*tables == 0) {
    auto transaction = Transaction::begin(database);
    if (!transaction) return transaction.error();
    if (const auto made = database.run(kSchema); !made) return made.error();
    return transaction->commit();
  }
  const auto version = number_from(database, "SELECT version FROM schema");
  if (!version) return version.error();
  if (*version > kSchemaVersion) {
    return Error{Failure::failed,
                 "it was written by a newer flametap (version " + std::to_string(*version) +
                     " of its tables, this one knows " + std::to_string(kSchemaVersion) + ")",
                 "use a newer flametap, or another folder: --data DIR"};
  }
  return {};
}

Result<Database> open_database(const std::string& path) {
  auto database = Database::open(path);
  if (!database) return database.error();
  if (const auto ready = prepare(*database); !ready) return ready.error().within("cannot use " + path);
  return database;
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path) {
  const bool is_file = path != kInMemory;
  Reserve reserve(is_file ? path + "-reserve" : "");
  auto database = open_database(path);
  if (!database && reserve.release()) database = open_database(path);
  if (!database) return database.error();
  reserve.make();
  return std::unique_ptr<SqliteStore>(
      new SqliteStore(std::move(*database), std::move(reserve), is_file ? path : std::string()));
}

Result<void> SqliteStore::add(const Entry& entry, std::string_view ftap, std::string_view thumbnail) {
  const std::lock_guard guard(lock_);
  if (const auto room = check_room(ftap.size()); !room) return room.error();
  auto added = add_locked(entry, ftap, thumbnail);
  if (!added) (void)empty_log();  // it has grown for nothing
  return added;
}

// What is written into the log, and from there into the file: a log that does not fit there would keep the disk full
// whatever is deleted.
Result<void> SqliteStore::check_room(std::uint64_t bytes) {
  if (path_.empty()) return {};
  std::error_code none;
  const std::uintmax_t log = std::filesystem::file_size(path_ + "-wal", none);
  const std::uint64_t needed = 2 * bytes + kRoomForTables;
  if (free_bytes_beside(path_) >= needed + (none ? 0 : log)) return {};
  if (empty_log() && free_bytes_beside(path_) >= needed) return {};
  return Error{Failure::failed, "the disk is full", "make room on the disk, or keep less: --keep-days, --keep-bytes"};
}

Result<void> SqliteStore::add_locked(const Entry& entry, std::string_view ftap, std::string_view thumbnail) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const std::string tags = joined(entry.tags);
  Statement insert(database_,
                   "INSERT INTO profile (id, name, command, host, python, tags, mode, rate_hz, start_unix_ns, "
                   "duration_ns, uploaded_unix_ns, bytes, samples, thumbnail) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number");
  insert.bind(entry.id.text()).bind(entry.name).bind(entry.command).bind(entry.host).bind(entry.python).bind(tags);
  insert.bind(entry.mode).bind(entry.rate_hz).bind(entry.start_unix_ns).bind(entry.duration_ns);
  insert.bind(entry.uploaded_unix_ns).bind(std::uint64_t{ftap.size()}).bind(entry.samples).bind_bytes(thumbnail);
  const auto row = insert.step();
  if (!row) return row.error();
  const std::uint64_t number = insert.number(0);
  if (const auto end = insert.step(); !end) return end.error();
  if (const auto put = put_pieces(number, ftap); !put) return put.error();
  return transaction->commit();
}

Result<void> SqliteStore::put_pieces(std::uint64_t number, std::string_view ftap) {
  for (std::uint64_t place = 0; !ftap.empty(); ++place) {
    const std::string_view piece = ftap.substr(0, kPieceBytes);
    Statement insert(database_, "INSERT INTO piece VALUES (?, ?, ?)");
    insert.bind(number).bind(place).bind_bytes(piece);
    if (const auto put = insert.step(); !put) return put.error();
    ftap.remove_prefix(piece.size());
  }
  return {};
}

Result<Listing> SqliteStore::list(const Query& query) {
  const std::lock_guard guard(lock_);
  const std::vector<std::string> patterns = patterns_of(query.search);
  const std::string tag = "\n" + query.tag + "\n";
  std::string sql = "SELECT " + std::string(kColumns) + " FROM profile WHERE number < ?";
  if (!query.tag.empty()) sql += " AND instr(tags, ?) > 0";
  for (std::size_t i = 0; i < patterns.size(); ++i)
    sql += " AND (name || char(10) || command || char(10) || host || tags) LIKE ? ESCAPE '\\'";
  sql += " ORDER BY number DESC LIMIT ?";
  Statement select(database_, sql);
  select.bind(query.before.value_or(~std::uint64_t{0}));
  if (!query.tag.empty()) select.bind(tag);
  for (const std::string& pattern : patterns) select.bind(pattern);
  select.bind(std::uint64_t{query.limit} + 1);  // one more tells whether there are more

  Listing listing;
  std::uint64_t last = 0;
  while (true) {
    const auto row = select.step();
    if (!row) return row.error();
    if (!*row) return listing;
    if (listing.entries.size() == query.limit) break;
    auto entry = entry_of(select);
    if (!entry) return entry.error();
    listing.entries.push_back(std::move(*entry));
    last = select.number(kNumberColumn);
  }
  listing.next = last;
  return listing;
}

Result<std::optional<Entry>> SqliteStore::find(const ProfileId& id) {
  const std::lock_guard guard(lock_);
  return find_locked(id);
}

Result<std::optional<Entry>> SqliteStore::find_locked(const ProfileId& id) {
  Statement select(database_, "SELECT " + std::string(kColumns) + " FROM profile WHERE id = ?");
  const auto row = select.bind(id.text()).step();
  if (!row) return row.error();
  if (!*row) return std::optional<Entry>();
  auto entry = entry_of(select);
  if (!entry) return entry.error();
  return std::optional(std::move(*entry));
}

Result<std::string> SqliteStore::read(const ProfileId& id, std::uint64_t from, std::size_t max) {
  const std::lock_guard guard(lock_);
  Statement select(database_,
                   "SELECT bytes FROM piece WHERE number = (SELECT number FROM profile WHERE id = ?) AND place >= ? "
                   "ORDER BY place");
  select.bind(id.text()).bind(from / kPieceBytes);
  std::string bytes;
  std::size_t skip = from % kPieceBytes;
  while (bytes.size() < max) {
    const auto row = select.step();
    if (!row) return row.error();
    if (!*row) break;
    const std::string piece = select.text(0);
    if (skip < piece.size()) bytes.append(piece, skip, max - bytes.size());
    skip = 0;
  }
  return bytes;
}

Result<std::optional<std::string>> SqliteStore::thumbnail(const ProfileId& id) {
  const std::lock_guard guard(lock_);
  Statement select(database_, "SELECT thumbnail FROM profile WHERE id = ?");
  const auto row = select.bind(id.text()).step();
  if (!row) return row.error();
  return *row ? std::optional(select.text(0)) : std::nullopt;
}

Result<std::optional<Entry>> SqliteStore::update(const ProfileId& id, const Change& change) {
  const std::lock_guard guard(lock_);
  auto entry = find_locked(id);
  if (!entry || !*entry) return entry;
  if (change.name) (*entry)->name = *change.name;
  if (change.tags) (*entry)->tags = *change.tags;
  const std::string tags = joined((*entry)->tags);
  Statement statement(database_, "UPDATE profile SET name = ?, tags = ? WHERE id = ?");
  const auto step = statement.bind((*entry)->name).bind(tags).bind(id.text()).step();
  if (!step) return step.error();
  return entry;
}

Result<bool> SqliteStore::remove(const ProfileId& id) {
  const std::lock_guard guard(lock_);
  Statement select(database_, "SELECT number FROM profile WHERE id = ?");
  const auto numbers = numbers_from(select.bind(id.text()));
  if (!numbers) return numbers.error();
  if (const auto gone = remove_numbers(*numbers); !gone) return gone.error();
  return !numbers->empty();
}

Result<void> SqliteStore::remove_numbers(const std::vector<std::uint64_t>& numbers) {
  if (numbers.empty()) return {};
  auto removed = remove_together(numbers);
  if (!removed) {
    // Most likely the disk is full. A few at a time need little room, and what they had is free for the next.
    reserve_.release();
    removed = {};
    for (auto number = numbers.begin(); number != numbers.end() && removed; ++number) {
      removed = remove_together({*number});
      (void)empty_log();
    }
  }
  shrink();
  reserve_.make();
  return removed;
}

Result<void> SqliteStore::remove_together(const std::vector<std::uint64_t>& numbers) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  for (const std::uint64_t number : numbers) {
    for (const char* const sql : {"DELETE FROM piece WHERE number = ?", "DELETE FROM profile WHERE number = ?"}) {
      Statement statement(database_, sql);
      if (const auto gone = done(statement.bind(number).step()); !gone) return gone.error();
    }
  }
  return transaction->commit();
}

void SqliteStore::shrink() {
  for (std::uint64_t before = std::numeric_limits<std::uint64_t>::max();;) {
    if (!empty_log()) return;
    const auto pages = number_from(database_, "PRAGMA freelist_count");
    if (!pages || *pages == 0 || *pages >= before) return;
    before = *pages;
    // Moves the last pages of the file to free ones, which takes as much room in the log: so many fit the reserve.
    if (!database_.run("PRAGMA incremental_vacuum(1024)")) return;
  }
}

bool SqliteStore::empty_log() {
  Statement checkpoint(database_, "PRAGMA wal_checkpoint(TRUNCATE)");
  const auto row = checkpoint.step();
  return row && *row && checkpoint.number(0) == 0;
}

Result<std::size_t> SqliteStore::clean(const Retention& retention, Nanoseconds now_unix_ns) {
  const std::lock_guard guard(lock_);
  std::size_t removed = 0;
  const Nanoseconds now = clock_.trusted_time(database_, now_unix_ns);
  if (retention.max_age && *retention.max_age < now) {
    const auto old = older_than(now - *retention.max_age);
    if (!old) return old.error();
    if (const auto gone = remove_numbers(*old); !gone) return gone.error();
    removed += old->size();
  }
  if (retention.max_bytes) {
    const auto beyond = beyond_bytes(*retention.max_bytes);
    if (!beyond) return beyond.error();
    if (const auto gone = remove_numbers(*beyond); !gone) return gone.error();
    removed += beyond->size();
  }
  clock_.save_if_needed(database_);
  return removed;
}

void SqliteStore::note_time(Nanoseconds now_unix_ns) {
  const std::lock_guard guard(lock_);
  (void)clock_.trusted_time(database_, now_unix_ns);
  clock_.save(database_);
}

bool SqliteStore::doubts_the_clock() {
  const std::lock_guard guard(lock_);
  return clock_.is_in_doubt();
}

Result<std::vector<std::uint64_t>> SqliteStore::older_than(Nanoseconds unix_ns) {
  Statement select(
      database_,
      "SELECT number FROM profile WHERE uploaded_unix_ns < ? AND number < (SELECT max(number) FROM profile) "
      "ORDER BY number");
  return numbers_from(select.bind(unix_ns));
}

Result<std::vector<std::uint64_t>> SqliteStore::beyond_bytes(std::uint64_t max_bytes) {
  std::vector<std::uint64_t> numbers;
  Statement select(database_, "SELECT number, bytes FROM profile ORDER BY number DESC");
  std::uint64_t kept = 0;
  for (bool newest = true;; newest = false) {
    const auto row = select.step();
    if (!row) return row.error();
    if (!*row) break;
    const bool stays = newest || (numbers.empty() && select.number(1) <= max_bytes - std::min(kept, max_bytes));
    if (stays) {
      kept += select.number(1);
    } else {
      numbers.push_back(select.number(0));  // and with it all that are older
    }
  }
  return numbers;
}

}  // namespace flametap::store

// Store: where profiles are kept, each as the bytes of an .ftap recording with a few words about it.
//
// What was added is there after a crash of the program or of the machine, from the moment that add() gives success.
// Texts are taken as they are: whoever adds has bounded them. Every call may come from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/profile_id.h"

namespace flametap::store {

struct Entry {
  ProfileId id;
  std::string name = {};
  std::string command = {};
  std::string host = {};
  std::string python = {};
  std::vector<std::string> tags = {};  // without line breaks
  std::string mode = {};
  double rate_hz = 0;
  Nanoseconds start_unix_ns = 0;
  Nanoseconds duration_ns = 0;
  Nanoseconds uploaded_unix_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t samples = 0;
  bool operator==(const Entry&) const = default;
};

struct Query {
  std::string search = {};  // words that must all occur in name, command, host or tags, whatever their case
  std::string tag = {};
  std::size_t limit = 50;
  std::optional<std::uint64_t> before = {};  // the cursor that the listing before gave
};

struct Listing {
  std::vector<Entry> entries;  // the newest first
  std::optional<std::uint64_t> next = {};
};

struct Change {
  std::optional<std::string> name = {};
  std::optional<std::vector<std::string>> tags = {};
};

// What is too old goes; then, as long as there is too much, the oldest. The newest one always stays.
struct Retention {
  std::optional<Nanoseconds> max_age = {};
  std::optional<std::uint64_t> max_bytes = {};
};

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  // `entry.bytes` is what `ftap` has, whatever it says. Fails if there is one with this id.
  [[nodiscard]] virtual Result<void> add(const Entry& entry, std::string_view ftap, std::string_view thumbnail) = 0;
  [[nodiscard]] virtual Result<Listing> list(const Query& query) = 0;
  // Nothing: there is none with this id; the same below.
  [[nodiscard]] virtual Result<std::optional<Entry>> find(const ProfileId& id) = 0;
  // Up to `max` bytes of the recording; none behind its end, or if it is gone.
  [[nodiscard]] virtual Result<std::string> read(const ProfileId& id, std::uint64_t from, std::size_t max) = 0;
  [[nodiscard]] virtual Result<std::optional<std::string>> thumbnail(const ProfileId& id) = 0;
  [[nodiscard]] virtual Result<std::optional<Entry>> update(const ProfileId& id, const Change& change) = 0;
  // Whether there was one.
  [[nodiscard]] virtual Result<bool> remove(const ProfileId& id) = 0;
  // How many went.
  [[nodiscard]] virtual Result<std::size_t> clean(const Retention& retention, Nanoseconds now_unix_ns) = 0;
};

}  // namespace flametap::store

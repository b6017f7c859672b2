// Credentials: whose files a process may open, and a thread of ours that opens files as if it were that process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/process.h"

namespace flametap::target {

struct Credentials {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};

  // Those that count for files, as /proc says.
  [[nodiscard]] static Result<Credentials> of(const Process& process);
  // Nothing if a line is missing or is no list of numbers.
  [[nodiscard]] static std::optional<Credentials> parse(std::string_view status);
  bool operator==(const Credentials&) const = default;
};

// The calling thread's rights to files are those given, until the end of this object. Other threads keep theirs.
class BorrowedCredentials {
 public:
  // Fails if they are not ours already, and the kernel does not let us take them.
  [[nodiscard]] static Result<BorrowedCredentials> take(const Credentials& credentials);

  BorrowedCredentials(BorrowedCredentials&& other) noexcept;
  BorrowedCredentials& operator=(BorrowedCredentials&&) = delete;
  BorrowedCredentials(const BorrowedCredentials&) = delete;
  BorrowedCredentials& operator=(const BorrowedCredentials&) = delete;
  ~BorrowedCredentials();

 private:
  explicit BorrowedCredentials(std::optional<Credentials> own) : own_(std::move(own)) {}

  std::optional<Credentials> own_;  // to go back to; nothing if there is nothing to undo
};

}  // namespace flametap::target

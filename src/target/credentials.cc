#include "target/credentials.h"

#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <utility>

namespace flametap::target {
namespace {

constexpr std::size_t kMaxGroups = 65'536;
constexpr std::size_t kOfFiles = 3;  // of the four in a line of /proc: real, effective, saved, for files

// The numbers of the line that begins with `name`.
std::optional<std::vector<gid_t>> numbers_of(std::string_view status, std::string_view name) {
  std::size_t at = status.starts_with(name) ? 0 : status.find("\n" + std::string(name));
  if (at == std::string_view::npos) return std::nullopt;
  if (at != 0) ++at;
  std::string_view line = status.substr(at + name.size());
  line = line.substr(0, line.find('\n'));
  std::vector<gid_t> numbers;
  while (numbers.size() < kMaxGroups) {
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) return numbers;
    line.remove_prefix(start);
    gid_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return numbers;
}

// The C library's own would change all threads.
bool set_groups(const std::vector<gid_t>& groups) {
  return ::syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

Result<Credentials> current() {
  Credentials own{.user = static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))),
                  .group = static_cast<gid_t>(::setfsgid(static_cast<gid_t>(-1)))};
  const int count = ::getgroups(0, nullptr);
  if (count < 0) return errno_error("getgroups", errno);
  own.groups.resize(static_cast<std::size_t>(count));
  if (::getgroups(count, own.groups.data()) != count) return errno_error("getgroups", errno);
  return own;
}

// The group first: without the user's rights it could not be changed any more. Tells whether all of it was done.
bool become(const Credentials& who) {
  if (!set_groups(who.groups)) return false;
  ::setfsgid(who.group);
  ::setfsuid(who.user);
  return static_cast<gid_t>(::setfsgid(static_cast<gid_t>(-1))) == who.group &&
         static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))) == who.user;
}

// Back: the user first, whose rights the rest needs.
void return_to(const Credentials& own) {
  ::setfsuid(own.user);
  ::setfsgid(own.group);
  (void)set_groups(own.groups);
}

}  // namespace

std::optional<Credentials> Credentials::parse(std::string_view status) {
  const auto users = numbers_of(status, "Uid:");
  const auto group_ids = numbers_of(status, "Gid:");
  auto more = numbers_of(status, "Groups:");
  if (!users || !group_ids || !more || users->size() <= kOfFiles || group_ids->size() <= kOfFiles) return std::nullopt;
  return Credentials{.user = (*users)[kOfFiles], .group = (*group_ids)[kOfFiles], .groups = std::move(*more)};
}

Result<Credentials> Credentials::of(const Process& process) {
  const auto status = process.read_file("status");
  if (!status) return status.error();
  auto found = parse(*status);
  if (!found) return Error{Failure::failed, "its status does not say whose it is", ""};
  return std::move(*found);
}

Result<BorrowedCredentials> BorrowedCredentials::take(const Credentials& credentials) {
  auto own = current();
  if (!own) return own.error();
  if (own->user == credentials.user && own->group == credentials.group) return BorrowedCredentials(std::nullopt);
  if (!become(credentials)) {
    return_to(*own);
    return Error{Failure::not_permitted, "cannot read files as the process does", ""};
  }
  return BorrowedCredentials(std::move(*own));
}

BorrowedCredentials::BorrowedCredentials(BorrowedCredentials&& other) noexcept
    : own_(std::exchange(other.own_, std::nullopt)) {}

BorrowedCredentials::~BorrowedCredentials() {
  if (own_) return_to(*own_);
}

}  // namespace flametap::target

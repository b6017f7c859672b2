#include "target/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <memory>

#include "target/proc_file.h"
#include "target/remedy.h"

namespace flametap::target {
namespace {

std::string name_of(pid_t pid) { return "process " + std::to_string(pid); }

Error no_such_process(pid_t pid) {
  return {Failure::no_such_process, "there is no process with the pid " + std::to_string(pid), ""};
}

// The numbers of a line such as "Uid:\t0\t0\t0\t0".
std::vector<std::int64_t> parse_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* const end = text.data() + text.size();
  for (const char* next = text.data(); next != end;) {
    std::int64_t number = 0;
    const auto [after, error] = std::from_chars(next, end, number);
    if (error == std::errc{}) numbers.push_back(number);
    next = error == std::errc{} ? after : next + 1;
  }
  return numbers;
}

std::vector<std::int64_t> find_numbers(std::string_view status, std::string_view key) {
  const std::optional<std::string_view> field = find_field(status, key);
  return field ? parse_numbers(*field) : std::vector<std::int64_t>{};
}

// pidfd_open fails for a thread other than the main one, and for what never was a process.
Error explain_no_pidfd(pid_t pid, int error_number) {
  const Result<std::string> status = read_proc_file(proc_path(pid, "status"));
  const std::vector<std::int64_t> leader = status ? find_numbers(*status, "Tgid") : std::vector<std::int64_t>{};
  if (leader.size() == 1 && leader[0] != pid) {
    const std::string leader_name = std::to_string(leader[0]);
    return {Failure::no_such_process, std::to_string(pid) + " is a thread of process " + leader_name,
            "give the process: -p " + leader_name};
  }
  if (error_number == ENOSYS) {
    return {Failure::failed, "this kernel has no pidfd_open, which came with Linux 5.3", "use a newer kernel"};
  }
  if (error_number == ESRCH || error_number == EINVAL) return no_such_process(pid);
  return errno_error("cannot open " + name_of(pid), error_number);
}

bool has_ended(const Fd& pidfd) {
  pollfd wanted{pidfd.get(), POLLIN, 0};
  return ::poll(&wanted, 1, 0) != 0;
}

// The kernel's struct pidfd_info, which the headers of older systems do not have.
struct PidfdInfo {
  std::uint64_t mask;
  std::uint64_t cgroup;
  std::array<std::uint32_t, 11> ids;
  std::int32_t wait_status;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kPidfdInfoExit = 1 << 3;
constexpr unsigned long kPidfdGetInfo = _IOWR(0xff, 11, PidfdInfo);

// Of a process that its parent has waited for.
std::optional<int> reaped_status(const Fd& pidfd) {
  PidfdInfo info{};
  info.mask = kPidfdInfoExit;
  const bool is_known = ::ioctl(pidfd.get(), kPidfdGetInfo, &info) == 0 && (info.mask & kPidfdInfoExit) != 0;
  return is_known ? std::optional<int>(info.wait_status) : std::nullopt;
}

Result<std::string> read_at(const Fd& folder, const std::string& name, const std::string& path) {
  const Fd file(::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  // A folder of /proc is empty once its process has ended.
  if (!file) return errno_error("open " + path, errno == ENOENT ? ESRCH : errno);
  return read_all(file, path);
}

}  // namespace

Result<Process> Process::open(pid_t pid) {
  if (pid <= 0) return no_such_process(pid);
  // The C library of Debian 12 declares pidfd_open in a header that clashes with fcntl.h.
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) return explain_no_pidfd(pid, errno);
  Fd folder(::open(proc_path(pid, "").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    if (has_ended(pidfd)) return no_such_process(pid);
    return Error{Failure::not_permitted, name_of(pid) + " is hidden: /proc is mounted with hidepid",
                 remedy_for(Lack::trace, look_around())};
  }
  const Result<std::string> line = read_at(folder, "stat", proc_path(pid, "stat"));
  if (!line) return line.error().kind == Failure::no_such_process ? no_such_process(pid) : line.error();
  const std::optional<TaskStat> stat = parse_task_stat(*line);
  if (!stat) return Error{Failure::failed, "cannot understand " + proc_path(pid, "stat"), ""};
  if (stat->kernel_thread) return Error{Failure::not_python, name_of(pid) + " is a kernel thread, not a program", ""};
  // Asked last: while the pidfd's process lives its pid cannot be reused, so the folder was its own.
  if (has_ended(pidfd)) {
    return Error{Failure::no_such_process,
                 name_of(pid) + " has already ended (a zombie, which its parent " + std::to_string(stat->parent) +
                     " has not waited for)",
                 ""};
  }
  return Process(pid, stat->start_time, std::move(pidfd), std::move(folder));
}

bool Process::alive() const { return !has_ended(pidfd_); }

bool Process::ending() const {
  const Result<std::string> line = read_file("stat");
  const std::optional<TaskStat> stat = line ? parse_task_stat(*line) : std::nullopt;
  return !stat || stat->ending || !alive();
}

std::optional<int> Process::wait_status() const {
  const Result<std::string> line = read_file("stat");
  if (!line) return reaped_status(pidfd_);
  const std::optional<TaskStat> stat = parse_task_stat(*line);
  if (!stat || !stat->ending) return std::nullopt;
  const std::optional<int> status = parse_wait_status(*line);
  // The kernel says 0 to those who may not trace it. They may not read this link either.
  char link = 0;
  if (status == 0 && ::readlinkat(folder_.get(), "ns/user", &link, 1) < 0) return std::nullopt;
  return status;
}

Result<Process::Status> Process::status() const {
  const Result<std::string> text = read_file("status");
  if (!text) return text.error();
  const std::optional<std::string_view> state = find_field(*text, "State");
  const std::vector<std::int64_t> uids = find_numbers(*text, "Uid");
  const std::vector<std::int64_t> tracer = find_numbers(*text, "TracerPid");
  if (!state || state->empty() || uids.size() < 3 || tracer.size() != 1) {
    return Error{Failure::failed, "cannot understand " + path("status"), ""};
  }
  return Status{.state = static_cast<TaskState>(state->front()),
                .tracer = static_cast<pid_t>(tracer[0]),
                .real_uid = static_cast<uid_t>(uids[0]),
                .effective_uid = static_cast<uid_t>(uids[1]),
                .saved_uid = static_cast<uid_t>(uids[2])};
}

Result<std::vector<std::string>> Process::command_line() const {
  const Result<std::string> text = read_file("cmdline");
  if (!text) return text.error();
  std::vector<std::string> arguments;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view argument = rest.substr(0, rest.find('\0'));
    arguments.emplace_back(argument);
    rest.remove_prefix(std::min(argument.size() + 1, rest.size()));
  }
  return arguments;
}

std::string Process::command() const {
  std::string text;
  if (const auto words = command_line()) {
    for (const std::string& word : *words) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

Result<std::string> Process::comm() const {
  Result<std::string> name = read_file("comm");
  if (name && name->ends_with('\n')) name->pop_back();
  return name;
}

std::string Process::thread_name(pid_t tid) const {
  const auto name = read_file("task/" + std::to_string(tid) + "/comm");
  return name ? name->substr(0, name->rfind('\n')) : "";
}

Result<std::string> Process::exe_path() const {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(folder_.get(), "exe", target.data(), target.size());
  if (length < 0) return errno_error("read link " + path("exe"), errno == ENOENT ? ESRCH : errno);
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Result<Maps> Process::maps() const {
  const Result<std::string> text = read_file("maps");
  if (!text) return text.error();
  return Maps::parse(*text);
}

Result<std::vector<pid_t>> Process::threads() const {
  Result<Fd> folder = open_file("task", O_RDONLY | O_DIRECTORY);
  if (!folder) return folder.error();
  // fdopendir takes the descriptor over, so it gets one of its own.
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::dup(folder->get())), ::closedir);
  if (!entries) return errno_error("list " + path("task"), errno);
  std::vector<pid_t> tids;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::vector<std::int64_t> tid = parse_numbers(entry->d_name);
    if (tid.size() == 1) tids.push_back(static_cast<pid_t>(tid[0]));
  }
  if (tids.empty()) return no_such_process(pid_);
  return tids;
}

Result<std::vector<Process::ThreadIds>> Process::thread_ids() const {
  const Result<std::vector<pid_t>> tids = threads();
  if (!tids) return tids.error();
  const Result<bool> inner = in_pid_namespace();
  if (!inner) return inner.error();
  std::vector<ThreadIds> ids;
  for (const pid_t tid : *tids) {
    if (!*inner) {
      ids.push_back({tid, tid});
      continue;
    }
    const Result<std::string> text = read_file("task/" + std::to_string(tid) + "/status");
    const std::vector<std::int64_t> levels = text ? find_numbers(*text, "NSpid") : std::vector<std::int64_t>{};
    // A thread that ended since it was listed is no loss.
    if (!levels.empty()) ids.push_back({tid, static_cast<pid_t>(levels.back())});
  }
  return ids;
}

Result<bool> Process::in_pid_namespace() const {
  const Result<std::string> text = read_file("status");
  if (!text) return text.error();
  return find_numbers(*text, "NSpid").size() > 1;
}

Result<bool> Process::same_mount_namespace() const {
  struct stat ours {};
  struct stat theirs {};
  if (::stat("/proc/self/ns/mnt", &ours) != 0) return errno_error("stat /proc/self/ns/mnt", errno);
  if (::fstatat(folder_.get(), "ns/mnt", &theirs, 0) != 0) {
    return errno_error("stat " + path("ns/mnt"), errno == ENOENT ? ESRCH : errno);
  }
  return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

std::string Process::path(std::string_view name) const { return proc_path(pid_, name); }

Result<std::string> Process::read_file(const std::string& name) const { return read_at(folder_, name, path(name)); }

Result<Fd> Process::open_file(const std::string& name, int flags) const {
  Fd file(::openat(folder_.get(), name.c_str(), flags | O_CLOEXEC));
  if (!file) return errno_error("open " + path(name), errno == ENOENT && !alive() ? ESRCH : errno);
  return file;
}

}  // namespace flametap::target

#include "target/thread_stat.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>

#include "target/proc_file.h"

namespace flametap::target {
namespace {

// Numbers of the fields in the manual's count, which starts with 1 for the pid.
constexpr std::size_t kState = 3;
constexpr std::size_t kParent = 4;
constexpr std::size_t kFlags = 9;
constexpr std::size_t kUserTime = 14;
constexpr std::size_t kSystemTime = 15;
constexpr std::size_t kStartTime = 22;
constexpr std::size_t kProcessor = 39;
constexpr std::size_t kWaitStatus = 52;

constexpr std::uint64_t kExitingFlag = 0x4;               // the kernel's PF_EXITING
constexpr std::uint64_t kKernelThreadFlag = 0x0020'0000;  // the kernel's PF_KTHREAD

// Behind the number of a system call: its six arguments, the stack pointer, the program counter.
constexpr std::size_t kSyscallNumbers = 8;

// More than the longest line: 52 numbers of up to 20 digits and a name of up to 64 bytes.
using LineBuffer = std::array<char, 2048>;

template <typename T>
bool parse_number(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_hexadecimal(std::string_view text, std::uint64_t& number) {
  if (!text.starts_with("0x")) return false;
  text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_blank(char character) { return character == ' ' || character == '\n'; }

// By hand, because it is asked for at every sample, and the searches of a string take ten times as long for short
// words.
std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

Result<Fd> open_thread_file(pid_t pid, pid_t tid, std::string_view name) {
  const std::string path = proc_path(pid, "task/" + std::to_string(tid) + "/" + std::string(name));
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error("open " + path, errno == ENOENT ? ESRCH : errno);
  return file;
}

// The file's text; empty when the thread is gone.
std::string_view read_line(const Fd& file, LineBuffer& buffer) {
  const ssize_t length = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  return {buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

}  // namespace

std::optional<TaskStat> parse_task_stat(std::string_view line) {
  // A thread may choose any name, also one with spaces and parentheses: only the last ')' ends it.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  line.remove_prefix(name_end + 1);
  std::array<std::string_view, kProcessor + 1> fields{};
  for (std::size_t i = kState; i < fields.size(); ++i) fields[i] = take_word(line);

  TaskStat stat;
  std::uint64_t flags = 0;
  std::uint64_t user_time = 0;
  std::uint64_t system_time = 0;
  const bool whole =
      fields[kState].size() == 1 && parse_number(fields[kParent], stat.parent) && parse_number(fields[kFlags], flags) &&
      parse_number(fields[kUserTime], user_time) && parse_number(fields[kSystemTime], system_time) &&
      parse_number(fields[kStartTime], stat.start_time) && parse_number(fields[kProcessor], stat.processor);
  if (!whole) return std::nullopt;
  stat.state = static_cast<TaskState>(fields[kState][0]);
  stat.kernel_thread = (flags & kKernelThreadFlag) != 0;
  stat.ending = (flags & kExitingFlag) != 0;
  stat.cpu_ticks = user_time + system_time;
  return stat;
}

std::optional<int> parse_wait_status(std::string_view line) {
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  line.remove_prefix(name_end + 1);
  std::string_view word;
  for (std::size_t i = kState; i <= kWaitStatus; ++i) word = take_word(line);
  int status = 0;
  return parse_number(word, status) ? std::optional(status) : std::nullopt;
}

std::optional<TaskSchedstat> parse_task_schedstat(std::string_view line) {
  TaskSchedstat stat;
  const bool whole = parse_number(take_word(line), stat.run_time) && parse_number(take_word(line), stat.wait_time) &&
                     parse_number(take_word(line), stat.slices);
  if (!whole) return std::nullopt;
  return stat;
}

std::optional<TaskSyscall> parse_task_syscall(std::string_view line) {
  TaskSyscall call;
  if (!parse_number(take_word(line), call.number)) return std::nullopt;
  std::array<std::uint64_t, kSyscallNumbers> numbers{};
  const std::size_t count = call.number < 0 ? 2 : numbers.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!parse_hexadecimal(take_word(line), numbers[i])) return std::nullopt;
  }
  if (call.number >= 0) call.first_argument = numbers.front();
  call.stack_pointer = numbers[count - 2];
  call.program_counter = numbers[count - 1];
  return call;
}

Result<ThreadStat> ThreadStat::open(pid_t pid, pid_t tid) {
  Result<Fd> file = open_thread_file(pid, tid, "stat");
  if (!file) return file.error();
  return ThreadStat(std::move(*file));
}

std::optional<TaskStat> ThreadStat::read() const {
  LineBuffer buffer;
  const auto stat = parse_task_stat(read_line(file_, buffer));
  return stat && stat->ending ? std::nullopt : stat;
}

Result<ThreadSchedstat> ThreadSchedstat::open(pid_t pid, pid_t tid) {
  Result<Fd> file = open_thread_file(pid, tid, "schedstat");
  if (!file) return file.error();
  return ThreadSchedstat(std::move(*file));
}

std::optional<TaskSchedstat> ThreadSchedstat::read() const {
  LineBuffer buffer;
  return parse_task_schedstat(read_line(file_, buffer));
}

Result<ThreadSyscall> ThreadSyscall::open(pid_t pid, pid_t tid) {
  Result<Fd> file = open_thread_file(pid, tid, "syscall");
  if (!file) return file.error();
  return ThreadSyscall(std::move(*file));
}

std::optional<TaskSyscall> ThreadSyscall::read() const {
  LineBuffer buffer;
  return parse_task_syscall(read_line(file_, buffer));
}

std::optional<std::uint64_t> ThreadSyscall::read_futex() const {
  const auto call = read();
  return call ? futex_of(*call) : std::nullopt;
}

std::optional<std::uint64_t> futex_of(const TaskSyscall& call) {
  if (call.number != SYS_futex) return std::nullopt;
  return call.first_argument;
}

}  // namespace flametap::target

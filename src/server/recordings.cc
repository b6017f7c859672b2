#include "server/recordings.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "format/limits.h"
#include "server/labels.h"

namespace flametap::server {
namespace {

constexpr Nanoseconds kPause = 10'000'000;
constexpr Nanoseconds kPatience = 30 * kSecond;  // to attach to a process
constexpr std::size_t kMaxLog = 4096;
constexpr const char* kRecording = ".ftap";
constexpr const char* kLog = ".log";

// What a process is started with; freed in whatever order they were made.
class SpawnPlan {
 public:
  explicit SpawnPlan(int log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, log, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    // A group of its own: Ctrl-C at our terminal is for us, and we end it in order.
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] Result<pid_t> run(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t process = 0;
    const int error =
        ::posix_spawn(&process, words.front().c_str(), &actions_, &attributes_, arguments.data(), environ);
    if (error != 0) return errno_error("cannot start " + words.front(), error);
    return process;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Result<std::string> whole_file(const std::string& path, std::size_t max) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!file || error) return Error{Failure::failed, "cannot read " + path, ""};
  if (size > max) return Error{Failure::failed, path + " is too large", ""};
  std::string content(size, '\0');
  file.read(content.data(), static_cast<std::streamsize>(size));
  content.resize(static_cast<std::size_t>(file.gcount()));
  return content;
}

bool has_content(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

}  // namespace

Recordings::~Recordings() {
  for (const Running& running : running_) {
    const std::lock_guard guard(reaping_);
    if (!running.reaped) ::kill(running.process, SIGINT);
  }
  for (Running& running : running_) running.waiter.join();
}

std::string Recordings::path(const store::ProfileId& id, const char* ending) const {
  return options_.folder + "/" + id.text() + ending;
}

Result<store::ProfileId> Recordings::start(const RecordingRequest& request) {
  const std::lock_guard guard(lock_);
  reap();
  if (running_.size() >= options_.max_running) {
    return Error{Failure::failed, std::to_string(options_.max_running) + " recordings are running already",
                 "wait until one of them has ended"};
  }
  const auto id = store::ProfileId::random();
  if (!id) return id.error();
  const auto process = spawn(request, *id);
  if (!process) return process.error();
  if (const auto started = wait_for_start(*process, *id); !started) {
    remove_files(*id);
    return started.error();
  }
  Running& running = running_.emplace_back(*id, *process);
  auto live = LiveRecording::open(path(*id, kRecording), {.id = *id,
                                                          .name = "process " + std::to_string(request.pid),
                                                          .host = options_.host,
                                                          .mode = "wall",
                                                          .rate_hz = static_cast<double>(request.rate_hz),
                                                          .start_unix_ns = unix_now(),
                                                          .uploaded_unix_ns = unix_now()});
  if (live) live_.add(*live);
  running.waiter = std::thread([this, &running] { watch(running); });
  return *id;
}

// The recorder's messages go to a file that is locked as long as the recorder has it open, whether or not we live.
Result<pid_t> Recordings::spawn(const RecordingRequest& request, const store::ProfileId& id) const {
  const Fd log(::open(path(id, kLog).c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!log) return errno_error("cannot write into " + options_.folder, errno);
  if (::flock(log.get(), LOCK_EX | LOCK_NB) != 0) return errno_error("cannot lock " + path(id, kLog), errno);
  const SpawnPlan plan(log.get());
  return plan.run({options_.program, "record", "-p", std::to_string(request.pid), "-d", std::to_string(request.seconds),
                   "-r", std::to_string(request.rate_hz), "-o", path(id, kRecording)});
}

Result<void> Recordings::wait_for_start(pid_t process, const store::ProfileId& id) const {
  const Nanoseconds deadline = monotonic_now() + kPatience;
  while (true) {
    int status = 0;
    const bool ended = ::waitpid(process, &status, WNOHANG) == process;
    if (ended) return why_it_failed(id, status);
    if (has_content(path(id, kRecording))) return {};
    if (monotonic_now() > deadline) break;
    sleep_for(kPause);
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  return Error{Failure::failed, "the recording did not begin within 30 seconds", ""};
}

// `flametap: cannot record process 7: ...`, and perhaps `  try: ...` in the line below.
Error Recordings::why_it_failed(const store::ProfileId& id, int wait_status) const {
  const auto log = whole_file(path(id, kLog), kMaxLog);
  Error error{Failure::failed, "the recording failed", ""};
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) >= 1 && WEXITSTATUS(wait_status) <= 5)
    error.kind = static_cast<Failure>(WEXITSTATUS(wait_status));
  if (!log) return error;
  constexpr std::string_view kMessage = "flametap: ";
  constexpr std::string_view kRemedy = "  try: ";
  std::istringstream lines(*log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMessage)) error.message = shown_text(line.substr(kMessage.size()), kMaxLog);
    if (line.starts_with(kRemedy)) error.remedy = shown_text(line.substr(kRemedy.size()), kMaxLog);
  }
  return error;
}

void Recordings::watch(Running& running) {
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(running.process), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  {
    // From here on the number may be that of another process.
    const std::lock_guard guard(reaping_);
    ::waitpid(running.process, nullptr, 0);
    running.reaped = true;
  }
  (void)move_to_store(running.id);
  live_.remove(running.id);
  running.ended = true;
}

// Gives whether it was stored now. What cannot be stored stays where it is, for the next start, and is told.
bool Recordings::move_to_store(const store::ProfileId& id) const try {
  const std::string file = path(id, kRecording);
  const auto known = intake_.find(id);
  if (!has_content(file) || (known && *known)) {
    remove_files(id);
    return false;
  }
  const auto bytes = whole_file(file, format::kMaxFileBytes);
  auto prepared = bytes ? intake_.prepare(*bytes, {.host = options_.host}) : bytes.error();
  if (prepared) prepared->entry.id = id;
  const auto kept = prepared ? intake_.keep(*prepared) : prepared.error();
  if (!kept) {
    options_.complain(kept.error().within("the recording " + file + " is not in the list"));
    return false;
  }
  remove_files(id);
  return true;
} catch (const std::bad_alloc&) {
  options_.complain({Failure::failed, "no memory to store the recording " + path(id, kRecording), ""});
  return false;
}

void Recordings::remove_files(const store::ProfileId& id) const {
  ::unlink(path(id, kRecording).c_str());
  ::unlink(path(id, kLog).c_str());
}

void Recordings::reap() {
  for (auto running = running_.begin(); running != running_.end();) {
    if (!running->ended) {
      ++running;
      continue;
    }
    running->waiter.join();
    running = running_.erase(running);
  }
}

std::size_t Recordings::adopt() {
  std::vector<store::ProfileId> left;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(options_.folder, error)) {
    const auto id = store::ProfileId::parse(file.path().stem().string());
    if (id && file.path().extension() == kLog) left.push_back(*id);
  }
  std::size_t adopted = 0;
  for (const store::ProfileId& id : left) {
    const Fd log(::open(path(id, kLog).c_str(), O_RDONLY | O_CLOEXEC));
    if (!log || ::flock(log.get(), LOCK_EX | LOCK_NB) != 0) continue;
    adopted += move_to_store(id) ? 1 : 0;
  }
  return adopted;
}

}  // namespace flametap::server

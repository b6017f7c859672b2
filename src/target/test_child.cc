#include "target/test_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace flametap::target {
namespace {

struct Pipe {
  Fd read_end;
  Fd write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

TestChild TestChild::run(const std::function<void(const std::function<void()>& ready)>& body) {
  Pipe pipe = make_pipe();
  const pid_t pid = fork();
  if (pid < 0) std::abort();
  if (pid == 0) {
    // A test that crashes must not leave its children behind.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int write_end = pipe.write_end.get();
    body([write_end] {
      if (::write(write_end, "r", 1) != 1) _exit(1);
    });
    while (true) pause();
  }
  pipe.write_end = Fd();
  TestChild child(pid, std::move(pipe.read_end));
  child.wait_for_byte();
  return child;
}

TestChild TestChild::exec(const std::vector<std::string>& arguments, const std::function<void()>& before_exec) {
  Pipe pipe = make_pipe();
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) std::abort();
  if (pid == 0) {
    if (before_exec) before_exec();
    // A change of user clears this, so it comes after.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(pipe.write_end.get(), STDOUT_FILENO);
    ::close(pipe.write_end.get());
    ::close(pipe.read_end.get());
    execv(argv[0], argv.data());
    _exit(127);
  }
  pipe.write_end = Fd();
  TestChild child(pid, std::move(pipe.read_end));
  child.wait_for_byte();
  return child;
}

TestChild::TestChild(TestChild&& other) noexcept : pid_(std::exchange(other.pid_, -1)), pipe_(std::move(other.pipe_)) {}

TestChild::~TestChild() { kill_and_reap(); }

void TestChild::kill_without_reaping() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
}

void TestChild::kill_and_reap() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

int TestChild::wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

bool TestChild::wait_for_byte() {
  char byte = 0;
  return ::read(pipe_.get(), &byte, 1) == 1;
}

}  // namespace flametap::target

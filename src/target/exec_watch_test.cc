#include "target/exec_watch.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/test_paths.h"
#include "target/auxv.h"
#include "target/test_child.h"

namespace flametap::target {
namespace {

using Outcome = ExecWatch::Outcome;

std::string program(const std::string& name) { return in_build("src/target/target_program_" + name); }

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A child that executes a command when it is told to. Its standard output is a pipe to us.
class Child {
 public:
  explicit Child(const std::vector<std::string>& command) {
    std::array<int, 2> go{};
    std::array<int, 2> output{};
    if (::pipe(go.data()) != 0 || ::pipe(output.data()) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) execute(command, go, output);
    ::close(go[0]);
    ::close(output[1]);
    go_ = Fd(go[1]);
    output_ = Fd(output[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (reaped_) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void go() { const Fd closed = std::move(go_); }
  [[nodiscard]] bool wrote() const {
    pollfd wanted{output_.get(), POLLIN, 0};
    return ::poll(&wanted, 1, 0) == 1 && (wanted.revents & POLLIN) != 0;
  }
  [[nodiscard]] bool wait_for_byte() const {
    char byte = 0;
    return ::read(output_.get(), &byte, 1) == 1;
  }
  // Its exit code, or 128 + the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  [[noreturn]] static void execute(const std::vector<std::string>& command, const std::array<int, 2>& go,
                                   const std::array<int, 2>& output) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::close(go[1]);
    char none = 0;
    if (::read(go[0], &none, 1) != 0) ::_exit(126);
    ::dup2(output[1], STDOUT_FILENO);
    for (const int end : {go[0], output[0], output[1]}) ::close(end);
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }

  pid_t pid_ = 0;
  bool reaped_ = false;
  Fd go_;
  Fd output_;
};

// What the watch asked about, and what was known by then.
struct Question {
  std::string program;
  bool has_libc = false;
  bool wrote = false;
};

bool operator==(const Question& a, const Question& b) {
  return a.program == b.program && a.has_libc == b.has_libc && a.wrote == b.wrote;
}

void PrintTo(const Question& question, std::ostream* out) {
  *out << question.program << (question.has_libc ? " with libc" : "") << (question.wrote ? ", has run" : "");
}

Question question_about(const Process& process, const Child& child) {
  const Result<Maps> maps = process.maps();
  const bool has_libc = maps && std::any_of(maps->begin(), maps->end(), [](const Mapping& mapping) {
                          return mapping.path.find("/libc.so") != std::string::npos;
                        });
  const Result<std::string> path = process.exe_path();
  return {path ? file_name(*path) : "?", has_libc, child.wrote()};
}

struct Watched {
  Outcome outcome{};
  std::vector<Question> questions;
};

// Says yes to question number `yes`, counted from 1.
Watched watch(Child& child, std::size_t yes) {
  Watched watched;
  Result<ExecWatch> watch = ExecWatch::attach(child.pid());
  EXPECT_TRUE(watch);
  child.go();
  const std::atomic<bool> never = false;
  watched.outcome = watch->run(
      [&](const Process& process) {
        watched.questions.push_back(question_about(process, child));
        return watched.questions.size() == yes;
      },
      never);
  return watched;
}

constexpr std::size_t kNever = 1000;

bool is_traced(pid_t pid) {
  const Result<Process> process = Process::open(pid);
  const auto status = process ? process->status() : Result<Process::Status>(process.error());
  return status && status->tracer != 0;
}

TEST(ExecWatch, AsksBeforeAndAfterTheLoader) {
  for (const std::string name : {"pie", "fixed"}) {
    Child child({program(name)});
    const Watched watched = watch(child, 2);
    const std::string exe = "target_program_" + name;
    EXPECT_EQ(watched.questions, (std::vector<Question>{{exe, false, false}, {exe, true, false}}));
    EXPECT_EQ(watched.outcome, Outcome::ready);
    EXPECT_FALSE(is_traced(child.pid()));
    EXPECT_TRUE(child.wait_for_byte());
  }
}

TEST(ExecWatch, YesAtOnce) {
  Child child({program("pie")});
  const Watched watched = watch(child, 1);
  EXPECT_EQ(watched.questions, (std::vector<Question>{{"target_program_pie", false, false}}));
  EXPECT_EQ(watched.outcome, Outcome::ready);
  EXPECT_FALSE(is_traced(child.pid()));
  EXPECT_TRUE(child.wait_for_byte());
}

TEST(ExecWatch, AStaticProgramIsAskedAboutOnce) {
  Child child({program("static")});
  const Watched watched = watch(child, kNever);
  EXPECT_EQ(watched.questions, (std::vector<Question>{{"target_program_static", false, false}}));
  EXPECT_EQ(watched.outcome, Outcome::ended);
  EXPECT_EQ(child.wait(), 7);
}

TEST(ExecWatch, EveryProgramOfAChainIsAskedAbout) {
  Child child({"env", "nice", "sh", "-c", "exec " + program("pie")});
  const Watched watched = watch(child, 8);
  ASSERT_EQ(watched.questions.size(), 8u);
  EXPECT_EQ(watched.questions[0].program, "env");
  EXPECT_EQ(watched.questions[2].program, "nice");
  EXPECT_EQ(watched.questions[6], (Question{"target_program_pie", false, false}));
  EXPECT_EQ(watched.questions[7], (Question{"target_program_pie", true, false}));
  EXPECT_TRUE(child.wait_for_byte());
}

TEST(ExecWatch, AScriptIsItsInterpreter) {
  const std::string path = ::testing::TempDir() + "flametap_exec_watch_" + std::to_string(::getpid());
  std::ofstream(path) << "#!" << program("pie") << "\n";
  ::chmod(path.c_str(), 0700);
  Child child({path});
  const Watched watched = watch(child, 2);
  EXPECT_EQ(watched.questions.at(0).program, "target_program_pie");
  EXPECT_TRUE(child.wait_for_byte());
  ::unlink(path.c_str());
}

TEST(ExecWatch, TheLoaderAsAProgramIsAskedAboutBeforeItMapsItsArgument) {
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  if (::access(loader.c_str(), X_OK) != 0) GTEST_SKIP() << "no " << loader;
  Child child({loader, program("pie")});
  const Watched watched = watch(child, 1);
  EXPECT_NE(watched.questions.at(0).program, "target_program_pie");
  EXPECT_EQ(watched.outcome, Outcome::ready);
  EXPECT_TRUE(child.wait_for_byte());
}

TEST(ExecWatch, ForkedChildrenAreNotAskedAbout) {
  Child child({"sh", "-c", "env true; exit 5"});
  EXPECT_EQ(watch(child, kNever).questions.size(), 2u);
  EXPECT_EQ(child.wait(), 5);
}

TEST(ExecWatch, AnExecThatFailsIsNone) {
  Child child({"/nonexistent/command"});
  const Watched watched = watch(child, kNever);
  EXPECT_TRUE(watched.questions.empty());
  EXPECT_EQ(watched.outcome, Outcome::ended);
  EXPECT_EQ(child.wait(), 127);
}

TEST(ExecWatch, SignalsArePassedOn) {
  Child handled({"sh", "-c", "trap 'exit 3' USR1; kill -USR1 $$; exit 4"});
  EXPECT_EQ(watch(handled, kNever).outcome, Outcome::ended);
  EXPECT_EQ(handled.wait(), 3);
  Child ended({"sh", "-c", "kill -TERM $$; exit 4"});
  EXPECT_EQ(watch(ended, kNever).outcome, Outcome::ended);
  EXPECT_EQ(ended.wait(), 128 + SIGTERM);
  // A SIGTRAP of its own is not taken for ours.
  Child trapped({"sh", "-c", "kill -TRAP $$; exit 4"});
  EXPECT_EQ(watch(trapped, kNever).outcome, Outcome::ended);
  EXPECT_EQ(trapped.wait(), 128 + SIGTRAP);
}

TEST(ExecWatch, StopAndContinue) {
  const std::string path = ::testing::TempDir() + "flametap_continued_" + std::to_string(::getpid());
  ::unlink(path.c_str());
  const std::string wait_for_stop = "until grep -q 'State:.[tT]' /proc/$$/status; do :; done";
  Child child(
      {"sh", "-c",
       "(" + wait_for_stop + "; touch " + path + "; kill -CONT $$) & kill -STOP $$; test -e " + path + " && exit 5"});
  EXPECT_EQ(watch(child, kNever).outcome, Outcome::ended);
  EXPECT_EQ(child.wait(), 5);
  ::unlink(path.c_str());
}

TEST(ExecWatch, EndsWhenToldToAndLetsTheChildRun) {
  Child child({program("pie")});
  Result<ExecWatch> watch = ExecWatch::attach(child.pid());
  ASSERT_TRUE(watch);
  child.go();
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    EXPECT_TRUE(child.wait_for_byte());
    stop = true;
  });
  EXPECT_EQ(watch->run([](const Process&) { return false; }, stop), Outcome::stopped);
  stopper.join();
  EXPECT_FALSE(is_traced(child.pid()));
  ::kill(child.pid(), SIGTERM);
  EXPECT_EQ(child.wait(), 128 + SIGTERM);
}

TEST(ExecWatch, StopsWhileTheChildIsStopped) {
  Child child({"sh", "-c", "echo; kill -STOP $$; exit 6"});
  Result<ExecWatch> watch = ExecWatch::attach(child.pid());
  ASSERT_TRUE(watch);
  child.go();
  std::atomic<bool> stop = false;
  const pid_t pid = child.pid();
  std::thread stopper([&] {
    EXPECT_TRUE(child.wait_for_byte());
    const Result<Process> process = Process::open(pid);
    while (process->status()->state != TaskState::traced) {
    }
    stop = true;
  });
  EXPECT_EQ(watch->run([](const Process&) { return false; }, stop), Outcome::stopped);
  stopper.join();
  ::kill(pid, SIGCONT);
  EXPECT_EQ(child.wait(), 6);
}

TEST(ExecWatch, LetsGoWhenDestroyed) {
  Child child({program("static")});
  {
    const Result<ExecWatch> watch = ExecWatch::attach(child.pid());
    ASSERT_TRUE(watch);
    EXPECT_TRUE(is_traced(child.pid()));
  }
  EXPECT_FALSE(is_traced(child.pid()));
  child.go();
  EXPECT_EQ(child.wait(), 7);
}

TEST(ExecWatch, ATracedChildIsNotTouched) {
  Child child({program("static")});
  const Result<ExecWatch> first = ExecWatch::attach(child.pid());
  ASSERT_TRUE(first);
  const Result<ExecWatch> second = ExecWatch::attach(child.pid());
  EXPECT_FALSE(second);
}

}  // namespace
}  // namespace flametap::target

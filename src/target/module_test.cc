#include "target/module.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>

#include "base/test_paths.h"
#include "target/process_memory.h"
#include "target/test_child.h"

namespace flametap::target {
namespace {

namespace fs = std::filesystem;

const std::string kModulePrograms = in_build("src/target/target_program_");
constexpr std::uint64_t kExportedNumber = 0x1122334455667788;

// A process with its modules, and its program among them.
class Target {
 public:
  explicit Target(pid_t pid) : process_(std::move(*Process::open(pid))), memory_(pid) {
    Result<std::vector<Module>> modules = Module::list(process_, memory_);
    EXPECT_TRUE(modules) << modules.error().message;
    modules_ = std::move(*modules);
  }

  Module& exe() {
    return *std::find_if(modules_.begin(), modules_.end(), [](auto& module) { return module.is_exe(); });
  }
  std::vector<Module>& modules() { return modules_; }
  std::uint64_t number_at(Address address) {
    std::uint64_t number = 0;
    EXPECT_EQ(memory_.read_value(address, number), ReadStatus::ok);
    return number;
  }
  // What stands in memory at a symbol of the program.
  std::uint64_t number_named(std::string_view name) {
    const Module::Addresses found = exe().symbols({name});
    return found.empty() ? 0 : number_at(found.begin()->second);
  }

 private:
  Process process_;
  ProcessMemory memory_;
  std::vector<Module> modules_;
};

// A folder that goes away with all it holds.
class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "module_test_XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Module, FindsSymbolsInEveryKindOfProgram) {
  for (const char* const kind : {"pie", "fixed", "packed", "sysv_hash", "stripped", "no_build_id"}) {
    const TestChild child = TestChild::exec({kModulePrograms + kind});
    Target target(child.pid());
    ASSERT_EQ(std::count_if(target.modules().begin(), target.modules().end(), [](auto& m) { return m.is_exe(); }), 1);
    Module& exe = target.exe();
    EXPECT_EQ(exe.path(), fs::canonical(kModulePrograms + kind)) << kind;
    ASSERT_NE(exe.file(), nullptr) << kind << exe.missing_file_reason();
    EXPECT_EQ(target.number_named("exported_number"), kExportedNumber) << kind;
    const std::uint64_t hidden = std::string_view(kind) == "stripped" ? 0 : 0x0102030405060708;
    EXPECT_EQ(target.number_named("_ZL13hidden_number"), hidden) << kind;
    const std::optional<AddressRange> marker = exe.section(".marker");
    ASSERT_TRUE(marker) << kind;
    EXPECT_EQ(target.number_at(marker->begin), 0x99aabbccddeeff00u) << kind;
    EXPECT_FALSE(exe.section(".shstrtab")) << kind;
    // Two independent ways to the same number.
    EXPECT_EQ(find_bias(exe.file()->segments(), exe.mappings()), exe.bias()) << kind;
  }
}

TEST(Module, WritableRangesHoldAllVariables) {
  for (const char* const kind : {"pie", "fixed", "packed"}) {
    const TestChild child = TestChild::exec({kModulePrograms + kind});
    Target target(child.pid());
    const Module::Addresses found = target.exe().symbols({"exported_number", "exported_zeros"});
    ASSERT_EQ(found.size(), 2u);
    const auto is_covered = [&](Address address) {
      const auto& ranges = target.exe().writable_ranges();
      return std::any_of(ranges.begin(), ranges.end(), [&](const AddressRange& range) {
        return to_number(address) - to_number(range.begin) < range.size;
      });
    };
    EXPECT_TRUE(is_covered(found.at("exported_number"))) << kind;
    EXPECT_TRUE(is_covered(found.at("exported_zeros"))) << kind;
    EXPECT_TRUE(is_covered(found.at("exported_zeros") + 8191 * 8)) << kind;
    for (const AddressRange& range : target.exe().writable_ranges()) {
      std::vector<std::byte> bytes(range.size);
      ProcessMemory memory(child.pid());
      EXPECT_EQ(memory.read(range.begin, bytes), ReadStatus::ok) << kind;
    }
  }
}

TEST(Module, ListsLibrariesAndTheVdso) {
  const TestChild child = TestChild::exec({kModulePrograms + "pie"});
  Target target(child.pid());
  int libraries = 0;
  for (Module& module : target.modules()) {
    if (module.path() == "[vdso]") {
      EXPECT_EQ(module.file(), nullptr);
      EXPECT_FALSE(module.symbols({"__vdso_clock_gettime"}).empty());
    } else if (module.path().find("libc.so") != std::string::npos) {
      ++libraries;
      ASSERT_NE(module.file(), nullptr);
      EXPECT_FALSE(module.is_exe());
      EXPECT_FALSE(module.symbols({"pause"}).empty());
    }
  }
  EXPECT_EQ(libraries, 1);
}

TEST(Module, AFileThatIsOnlyReadIsNoModule) {
  const Fd file(open((kModulePrograms + "pie").c_str(), O_RDONLY | O_CLOEXEC));
  void* const map = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file.get(), 0);
  Target target(getpid());
  munmap(map, 4096);
  for (const Module& module : target.modules()) EXPECT_NE(module.path(), kModulePrograms + "pie");
}

TEST(Module, DeletedProgram) {
  const Folder folder;
  fs::copy_file(kModulePrograms + "fixed", folder / "program");
  const TestChild child = TestChild::exec({folder / "program"});
  fs::remove(folder / "program");
  Target target(child.pid());
  // The kernel still has the file, under /proc/PID/exe for everybody who may trace the process.
  ASSERT_NE(target.exe().file(), nullptr) << target.exe().missing_file_reason();
  EXPECT_EQ(target.number_named("_ZL13hidden_number"), 0x0102030405060708u);
}

TEST(Module, ReplacedProgram) {
  for (const char* const other : {"pie", "no_build_id"}) {
    const Folder folder;
    fs::copy_file(kModulePrograms + "fixed", folder / "program");
    const TestChild child = TestChild::exec({folder / "program"});
    fs::remove(folder / "program");
    fs::copy_file(kModulePrograms + other, folder / "program");
    Target target(child.pid());
    ASSERT_NE(target.exe().file(), nullptr);
    EXPECT_EQ(target.exe().file()->build_id(), target.exe().build_id());
    EXPECT_EQ(target.number_named("_ZL13hidden_number"), 0x0102030405060708u) << other;
  }
}

TEST(Module, OddNames) {
  for (const char* const name : {"with space", "new\nline", "x (deleted)", "back\\slash"}) {
    const Folder folder;
    fs::copy_file(kModulePrograms + "no_build_id", folder / name);
    const TestChild child = TestChild::exec({folder / name});
    Target target(child.pid());
    ASSERT_NE(target.exe().file(), nullptr) << name << target.exe().missing_file_reason();
    EXPECT_EQ(target.number_named("_ZL13hidden_number"), 0x0102030405060708u) << name;
  }
}

TEST(Module, ProgramFromAMemoryFile) {
  const Fd program(memfd_create("program", 0));
  const Fd source(open((kModulePrograms + "pie").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<std::byte, 4096> buffer{};
  for (ssize_t size = 0; (size = read(source.get(), buffer.data(), buffer.size())) > 0;) {
    ASSERT_EQ(write(program.get(), buffer.data(), static_cast<std::size_t>(size)), size);
  }
  const TestChild child = TestChild::exec({"/proc/self/fd/" + std::to_string(program.get())});
  Target target(child.pid());
  EXPECT_EQ(target.exe().path(), "/memfd:program");
  ASSERT_NE(target.exe().file(), nullptr) << target.exe().missing_file_reason();
  EXPECT_EQ(target.number_named("_ZL13hidden_number"), 0x0102030405060708u);
}

void become_nobody() {
  if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
}

// Runs `check` as a user without rights over other users; its outcome is its exit code.
int as_nobody(const std::function<int()>& check) {
  TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    become_nobody();
    _exit(check());
  });
  return WEXITSTATUS(child.wait());
}

TEST(Module, DeletedLibraryWithoutRightsIsReadFromMemory) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const Folder folder;
  chmod(folder.path().c_str(), 0755);
  // The loader is started as the program, so that the program itself is not /proc/PID/exe.
  fs::copy_file(kModulePrograms + "pie", folder / "program");
  chmod((folder / "program").c_str(), 0755);
  const TestChild child = TestChild::exec({"/lib64/ld-linux-x86-64.so.2", folder / "program"}, become_nobody);
  fs::remove(folder / "program");
  const int outcome = as_nobody([&] {
    const Result<Process> process = Process::open(child.pid());
    ProcessMemory memory(child.pid());
    Result<std::vector<Module>> modules = Module::list(*process, memory);
    if (!modules) return 2;
    for (Module& module : *modules) {
      if (module.path() != folder / "program") continue;
      if (module.file() != nullptr || module.is_exe()) return 3;
      if (module.missing_file_reason() != folder / "program" + " was deleted") return 4;
      const Module::Addresses found = module.symbols({"exported_number", "_ZL13hidden_number"});
      std::uint64_t number = 0;
      if (found.size() != 1 || memory.read_value(found.at("exported_number"), number) != ReadStatus::ok) return 5;
      return number == kExportedNumber ? 42 : 6;
    }
    return 7;
  });
  EXPECT_EQ(outcome, 42);
}

TEST(Module, DeletedProgramOfTheSameUserWithoutRights) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const Folder folder;
  chmod(folder.path().c_str(), 0755);
  fs::copy_file(kModulePrograms + "fixed", folder / "program");
  chmod((folder / "program").c_str(), 0755);
  const TestChild child = TestChild::exec({folder / "program"}, become_nobody);
  fs::remove(folder / "program");
  EXPECT_EQ(as_nobody([&] {
              Target target(child.pid());
              if (target.exe().file() == nullptr) return 2;
              return target.number_named("_ZL13hidden_number") == 0x0102030405060708 ? 42 : 3;
            }),
            42);
}

// A child in a mount and pid namespace of its own, whose `prepare` sets the scene and names the program to run.
struct ContainedProgram {
  TestChild keeper;
  pid_t pid;
};

ContainedProgram run_contained(const std::function<std::string()>& prepare) {
  int pid_pipe[2];
  int ready_pipe[2];
  if (pipe(pid_pipe) != 0 || pipe(ready_pipe) != 0) std::abort();
  TestChild keeper = TestChild::run([&](const auto& ready) {
    if (unshare(CLONE_NEWNS | CLONE_NEWPID) != 0) _exit(1);
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(1);
    const std::string program = prepare();
    const pid_t inner = fork();
    if (inner == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ready_pipe[1], STDOUT_FILENO);
      execl(program.c_str(), program.c_str(), nullptr);
      _exit(1);
    }
    if (write(pid_pipe[1], &inner, sizeof inner) != sizeof inner) _exit(1);
    ready();
  });
  pid_t pid = 0;
  char byte = 0;
  EXPECT_EQ(read(pid_pipe[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  EXPECT_EQ(read(ready_pipe[0], &byte, 1), 1);
  for (const int end : {pid_pipe[0], pid_pipe[1], ready_pipe[0], ready_pipe[1]}) close(end);
  return {std::move(keeper), pid};
}

TEST(Module, ProgramInAnotherMountNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  const Folder folder;
  // Outside, another file stands under the same name.
  fs::copy_file(kModulePrograms + "pie", folder / "program");
  const ContainedProgram contained = run_contained([&] {
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, nullptr) != 0) _exit(1);
    fs::copy_file(kModulePrograms + "no_build_id", folder / "program");
    return folder / "program";
  });
  Target target(contained.pid);
  ASSERT_NE(target.exe().file(), nullptr) << target.exe().missing_file_reason();
  EXPECT_TRUE(target.exe().file()->has_fixed_addresses());
  EXPECT_EQ(target.number_named("_ZL13hidden_number"), 0x0102030405060708u);
}

TEST(Module, ProcessInAnotherRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to change the root folder";
  const Folder folder;
  const TestChild child = TestChild::run([&](const auto& ready) {
    if (chroot(folder.path().c_str()) != 0) _exit(1);
    ready();
  });
  // Its maps show paths of our root, which its own root does not have.
  Target target(child.pid());
  EXPECT_NE(target.exe().file(), nullptr) << target.exe().missing_file_reason();
}

TEST(Module, ProgramOnAnOverlay) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  const Folder folder;
  bool mounted = true;
  const ContainedProgram contained = run_contained([&] {
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, nullptr) != 0) _exit(1);
    for (const char* const name : {"lower", "upper", "work", "merged"}) fs::create_directory(folder / name);
    fs::copy_file(kModulePrograms + "fixed", folder / "lower/program");
    const std::string options =
        "lowerdir=" + folder / "lower" + ",upperdir=" + folder / "upper" + ",workdir=" + folder / "work";
    mounted = mount("overlay", (folder / "merged").c_str(), "overlay", 0, options.c_str()) == 0;
    return folder / (mounted ? "merged/program" : "lower/program");
  });
  Target target(contained.pid);
  if (target.exe().path().find("merged") == std::string::npos) GTEST_SKIP() << "this kernel has no overlayfs";
  ASSERT_NE(target.exe().file(), nullptr) << target.exe().missing_file_reason();
  EXPECT_EQ(target.number_named("_ZL13hidden_number"), 0x0102030405060708u);
}

}  // namespace
}  // namespace flametap::target

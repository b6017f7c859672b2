#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "target/test_child.h"
#include "tracer/markers.h"

namespace flametap::tracer {
namespace {

namespace fs = std::filesystem;
using target::Process;
using target::TestChild;

const std::string kPrograms = in_build("src/tracer/tracer_marked_");
const std::string kUnmarkedProgram = in_build("src/target/target_program_pie");

// A folder that goes away with all it holds.
class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "marked_files_test_XXXXXX";
    path_ = fs::canonical(mkdtemp(pattern.data()));
  }
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<MarkedFile> files_of(pid_t pid) {
  const auto process = Process::open(pid);
  EXPECT_TRUE(process) << process.error().message;
  auto files = marked_files_of(*process);
  EXPECT_TRUE(files) << files.error().message;
  return std::move(*files);
}

// Under its open_path there must be the very file that the process runs.
void expect_program(const std::vector<MarkedFile>& files, pid_t pid, const std::string& path) {
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, path);
  EXPECT_EQ(files[0].markers.size(), 4u);
  struct stat found {};
  struct stat real {};
  ASSERT_EQ(stat(files[0].open_path.c_str(), &found), 0) << files[0].open_path;
  ASSERT_EQ(stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &real), 0);
  EXPECT_EQ(found.st_ino, real.st_ino);
  EXPECT_EQ(found.st_dev, real.st_dev);
  EXPECT_EQ(files[0].inode, real.st_ino);
  EXPECT_EQ(files[0].device, real.st_dev);
}

TEST(MarkedFile, ByItsPath) {
  const auto file = marked_file(kPrograms + "pie");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->path, kPrograms + "pie");
  EXPECT_EQ(file->open_path, fs::canonical(kPrograms + "pie"));
  EXPECT_EQ(file->markers.size(), 4u);
}

TEST(MarkedFile, WithoutMarkersIsNoPython) {
  const auto file = marked_file(kUnmarkedProgram);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, Failure::not_python);
  EXPECT_EQ(file.error().message, kUnmarkedProgram + " has no markers of Python");
}

TEST(MarkedFile, MustBeAnElfFile) {
  EXPECT_FALSE(marked_file("/nowhere/at/all"));
  EXPECT_FALSE(marked_file("/"));
  EXPECT_FALSE(marked_file("/dev/zero"));
}

TEST(MarkedFiles, OfAProcess) {
  for (const char* const kind : {"pie", "fixed", "stripped"}) {
    const TestChild child = TestChild::exec({kPrograms + kind});
    const std::string path = fs::canonical(kPrograms + kind);
    const std::vector<MarkedFile> files = files_of(child.pid());
    expect_program(files, child.pid(), path);
    EXPECT_EQ(files[0].open_path, path);
  }
}

TEST(MarkedFiles, OfAProcessWithoutAny) {
  const TestChild child = TestChild::exec({kUnmarkedProgram});
  EXPECT_TRUE(files_of(child.pid()).empty());
}

TEST(MarkedFiles, OfADeletedProgram) {
  const Folder folder;
  fs::copy_file(kPrograms + "fixed", folder / "program");
  const TestChild child = TestChild::exec({folder / "program"});
  fs::remove(folder / "program");
  expect_program(files_of(child.pid()), child.pid(), folder / "program");
}

TEST(MarkedFiles, OfAReplacedProgram) {
  const Folder folder;
  fs::copy_file(kPrograms + "fixed", folder / "program");
  const TestChild child = TestChild::exec({folder / "program"});
  fs::copy_file(kPrograms + "pie", folder / "new");
  fs::rename(folder / "new", folder / "program");
  const std::vector<MarkedFile> files = files_of(child.pid());
  expect_program(files, child.pid(), folder / "program");
  EXPECT_NE(files[0].open_path, folder / "program");
}

TEST(MarkedFiles, OfOddNames) {
  for (const char* const name : {"with space", "new\nline", "x (deleted)", "back\\slash"}) {
    const Folder folder;
    fs::copy_file(kPrograms + "fixed", folder / name);
    const TestChild child = TestChild::exec({folder / name});
    const std::vector<MarkedFile> files = files_of(child.pid());
    ASSERT_EQ(files.size(), 1u) << name;
    EXPECT_EQ(files[0].open_path, folder / name);
  }
}

TEST(MarkedFiles, OfAnotherMountNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  const Folder folder;
  // Outside, another file stands under the same name.
  fs::copy_file(kPrograms + "pie", folder / "program");
  const TestChild child = TestChild::exec({folder / "program"}, [&] {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) _exit(1);
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, nullptr) != 0) _exit(1);
    fs::copy_file(kPrograms + "fixed", folder / "program");
  });
  const std::vector<MarkedFile> files = files_of(child.pid());
  expect_program(files, child.pid(), folder / "program");
  EXPECT_EQ(files[0].open_path, "/proc/" + std::to_string(child.pid()) + "/root" + folder / "program");
}

TEST(MarkedFiles, OfAProgramThatTheLoaderRuns) {
  const std::string program = fs::canonical(kPrograms + "pie");
  const TestChild child = TestChild::exec({"/lib64/ld-linux-x86-64.so.2", program});
  const std::vector<MarkedFile> files = files_of(child.pid());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].open_path, program);
}

// The program is only told among the arguments as long as the loader has not mapped it. That moment is too short to be
// met, so another program under the loader's name stands for it.
TEST(MarkedFiles, OfAProgramThatTheLoaderHasNotMappedYet) {
  const Folder folder;
  fs::copy_file(kUnmarkedProgram, folder / "ld-test.so.2");
  const std::string program = fs::canonical(kPrograms + "pie");
  fs::copy_file(program, folder / "relative");
  const TestChild child =
      TestChild::exec({folder / "ld-test.so.2", "--argv0", "x", program, "relative", "/nowhere", "/"}, [&] {
        if (chdir(folder.path().c_str()) != 0) _exit(1);
      });
  const std::vector<MarkedFile> files = files_of(child.pid());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].open_path, program);
  EXPECT_EQ(files[1].open_path, folder / "relative");
}

TEST(MarkedFiles, EverywhereNamesEachFileOnceWithItsProcesses) {
  const Folder folder;
  fs::copy_file(kPrograms + "fixed", folder / "program");
  const TestChild one = TestChild::exec({folder / "program"});
  const TestChild two = TestChild::exec({folder / "program"});
  const std::vector<UsedFile> used = marked_files_everywhere();
  const auto is_ours = [&](const UsedFile& file) { return file.file.path == folder / "program"; };
  ASSERT_EQ(std::count_if(used.begin(), used.end(), is_ours), 1);
  const UsedFile& ours = *std::find_if(used.begin(), used.end(), is_ours);
  std::vector<pid_t> pids{one.pid(), two.pid()};
  std::sort(pids.begin(), pids.end());
  EXPECT_EQ(ours.pids, pids);
  EXPECT_EQ(ours.file.markers.size(), 4u);
}

}  // namespace
}  // namespace flametap::tracer

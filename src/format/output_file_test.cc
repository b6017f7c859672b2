#include "format/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"

namespace flametap::format {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OutputFile : public ::testing::Test {
 protected:
  OutputFile() {
    std::string pattern = (fs::temp_directory_path() / "flametap-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }

  static std::string content(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string folder_;
};

TEST_F(OutputFile, WritesAndReplaces) {
  EXPECT_EQ(*write_output(path("a.svg"), "one"), path("a.svg"));
  EXPECT_EQ(content(path("a.svg")), "one");
  EXPECT_EQ(*write_output(path("a.svg"), "two"), path("a.svg"));
  EXPECT_EQ(content(path("a.svg")), "two");
  EXPECT_THAT(names(), ElementsAre("a.svg"));
}

TEST_F(OutputFile, KeepsBothUnderAnotherName) {
  EXPECT_EQ(*write_output(path("a.pb.gz"), "1", Existing::keep_both), path("a.pb.gz"));
  EXPECT_EQ(*write_output(path("a.pb.gz"), "2", Existing::keep_both), path("a-2.pb.gz"));
  EXPECT_EQ(*write_output(path("a.pb.gz"), "3", Existing::keep_both), path("a-3.pb.gz"));
  EXPECT_EQ(content(path("a.pb.gz")), "1");
  EXPECT_EQ(content(path("a-3.pb.gz")), "3");
  EXPECT_THAT(names(), ElementsAre("a-2.pb.gz", "a-3.pb.gz", "a.pb.gz"));
}

TEST_F(OutputFile, APrivateFileStaysPrivate) {
  std::ofstream(path("a.svg")) << "old";
  ASSERT_EQ(::chmod(path("a.svg").c_str(), 0600), 0);
  ASSERT_TRUE(write_output(path("a.svg"), "new").ok());
  struct stat status {};
  ASSERT_EQ(::stat(path("a.svg").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(OutputFile, ALinkStaysALink) {
  std::ofstream(path("real.svg")) << "old";
  fs::create_symlink("real.svg", path("link.svg"));
  ASSERT_TRUE(write_output(path("link.svg"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(path("link.svg")));
  EXPECT_EQ(content(path("real.svg")), "new");
}

TEST_F(OutputFile, NamesWhatCannotBeWritten) {
  EXPECT_EQ(write_output(path("no/a.svg"), "x").error().message,
            "cannot write " + path("no/a.svg") + ": No such file or directory");
  EXPECT_EQ(write_output(folder_, "x").error().message, "cannot write " + folder_ + ": Is a directory");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(OutputFile, AFullDeviceIsAnErrorAndStaysADevice) {
  EXPECT_EQ(write_output("/dev/full", "x").error().message, "cannot write /dev/full: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(write_output("/dev/null", "x").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// A limit on the size of files stands for a full disk: the write fails in the middle.
TEST_F(OutputFile, AFullDiskLeavesTheOldFileAndNothingElse) {
  std::ofstream(path("a.svg")) << "old";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<std::string> replaced = write_output(path("a.svg"), std::string(5000, 'x'));
  const Result<std::string> added = write_output(path("b.svg"), std::string(5000, 'x'), Existing::keep_both);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, signal_before);
  EXPECT_EQ(replaced.error().message, "cannot write " + path("a.svg") + ": File too large");
  EXPECT_FALSE(added.ok());
  EXPECT_EQ(content(path("a.svg")), "old");
  EXPECT_THAT(names(), ElementsAre("a.svg"));
}

TEST_F(OutputFile, WritesThroughAFifo) {
  ASSERT_EQ(::mkfifo(path("pipe.svg").c_str(), 0600), 0);
  const std::string long_text(200'000, 'x');
  std::string got;
  std::thread reader([&] { got = content(path("pipe.svg")); });
  EXPECT_TRUE(write_output(path("pipe.svg"), long_text).ok());
  reader.join();
  EXPECT_EQ(got, long_text);
  EXPECT_TRUE(fs::is_fifo(path("pipe.svg")));
}

TEST_F(OutputFile, AReaderThatWentAwayIsAnError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd write_end(ends[1]);
  ::close(ends[0]);
  const std::string name = "/proc/self/fd/" + std::to_string(write_end.get());
  const Error error = write_output(name, "x").error();
  EXPECT_THAT(error.message, HasSubstr("Broken pipe"));
  EXPECT_EQ(error.within("cannot end").error_number, EPIPE);
}

TEST_F(OutputFile, ADashIsStandardOutput) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(*write_output("-", "to all"), "-");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to all");
}

}  // namespace
}  // namespace flametap::format

#include "native/perf_map_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace flametap::native {
namespace {

using target::Address;

// The file of this very process.
class PerfMapFileTest : public ::testing::Test {
 protected:
  ~PerfMapFileTest() override { std::filesystem::remove(path_); }

  void write(const std::string& text, std::ios::openmode mode = std::ios::trunc) const {
    std::ofstream(path_, mode) << text;
  }
  [[nodiscard]] std::string name_at(std::uint64_t address) const {
    return std::string(file_.find(Address{address}).value_or("(none)"));
  }

  std::string path_ = "/tmp/perf-" + std::to_string(::getpid()) + ".map";
  Result<target::Process> process_ = target::Process::open(::getpid());
  PerfMapFile file_{*process_};
};

TEST_F(PerfMapFileTest, WithoutAFileThereAreNoNames) {
  EXPECT_FALSE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "(none)");
}

TEST_F(PerfMapFileTest, ReadsOnWhereItGrew) {
  write("1000 10 one\n2000 10 tw");
  EXPECT_TRUE(file_.refresh());
  EXPECT_FALSE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "one");
  EXPECT_EQ(name_at(0x2000), "(none)");
  write("o\n3000 10 three\n", std::ios::app);
  EXPECT_TRUE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "one");
  EXPECT_EQ(name_at(0x2000), "two");
  EXPECT_EQ(name_at(0x3000), "three");
}

TEST_F(PerfMapFileTest, ReadsAnewWhatWasReplacedOrCut) {
  write("1000 10 one\n2000 10 two\n");
  EXPECT_TRUE(file_.refresh());
  write("2000 10 other\n");
  EXPECT_TRUE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "(none)");
  EXPECT_EQ(name_at(0x2000), "other");
  std::ofstream(path_ + ".new") << "1000 10 a longer file with another name\n";
  std::filesystem::rename(path_ + ".new", path_);
  EXPECT_TRUE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "a longer file with another name");
  EXPECT_EQ(name_at(0x2000), "(none)");
}

TEST_F(PerfMapFileTest, KeepsWhatItKnowsWhenTheFileIsGone) {
  write("1000 10 one\n");
  EXPECT_TRUE(file_.refresh());
  std::filesystem::remove(path_);
  EXPECT_FALSE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "one");
}

TEST_F(PerfMapFileTest, SkipsALineWithoutEnd) {
  write("1000 10 one\n2000 10 " + std::string(3 << 20, 'x') + "\n3000 10 three\n");
  EXPECT_TRUE(file_.refresh());
  EXPECT_EQ(name_at(0x1000), "one");
  EXPECT_EQ(name_at(0x3000), "three");
}

TEST_F(PerfMapFileTest, DoesNotTakeAPipe) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_FALSE(file_.refresh());
}

TEST_F(PerfMapFileTest, DoesNotTakeAFileFromBeforeTheProcess) {
  write("1000 10 one\n");
  std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  EXPECT_FALSE(file_.refresh());
}

TEST_F(PerfMapFileTest, DoesNotTakeAFileOfAnotherUser) {
  write("1000 10 one\n");
  if (::chown(path_.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can give a file away";
  EXPECT_FALSE(file_.refresh());
}

}  // namespace
}  // namespace flametap::native

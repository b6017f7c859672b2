#include "format/ftap_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "base/fd.h"
#include "format/read_any.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using profile::Sample;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/flametap-ftap-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { (void)!std::system(("rm -rf '" + path_ + "'").c_str()); }

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Sample sample_at(profile::TestProfile& tables, profile::ThreadId thread, std::uint64_t time) {
  return {time, 1'000'000, thread, tables.stack({{"main", "/a.py", 3}}), 1, stack::kOnCpu};
}

TEST(FtapWriter, WhatWasAddedBeforeACheckpointCanBeRead) {
  const Folder folder;
  const std::string path = folder.file("a.ftap");
  profile::TestProfile tables;
  const profile::ThreadId thread = tables.thread("MainThread", 7);
  const auto writer = FtapWriter::create(path, Existing::replace);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  EXPECT_FALSE(read_any(path).ok()) << "nothing was recorded yet";
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE((*writer)->add(tables.profile, sample_at(tables, thread, i * 1'000'999)).ok());
    ASSERT_TRUE((*writer)->checkpoint(tables.profile).ok());
    ASSERT_TRUE((*writer)->add(tables.profile, sample_at(tables, thread, i * 1'000'999 + 1'000)).ok());
    const Result<ReadProfile> read = read_any(path);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->profile.samples().size(), 2 * i - 1);
    EXPECT_THAT(read->warnings.at(0), HasSubstr("still running"));
  }
  tables.profile.recording.ended = "the time was up";
  ASSERT_TRUE((*writer)->finish(tables.profile).ok());
  const Result<ReadProfile> read = read_any(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->warnings, IsEmpty());
  EXPECT_EQ(read->profile.recording.ended, "the time was up");
  EXPECT_EQ(read->profile.samples().size(), 6u);
  EXPECT_EQ(read->profile.samples()[0].time_ns, 1'000'000u) << "microseconds, rounded down";
}

TEST(FtapWriter, ManySamplesAreWrittenWithoutACheckpoint) {
  const Folder folder;
  const std::string path = folder.file("a.ftap");
  profile::TestProfile tables;
  const profile::ThreadId thread = tables.thread("MainThread", 7);
  const auto writer = FtapWriter::create(path, Existing::replace);
  ASSERT_TRUE(writer.ok());
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    ASSERT_TRUE((*writer)->add(tables.profile, sample_at(tables, thread, i * 1'000'000)).ok());
  }
  EXPECT_GE(read_any(path)->profile.samples().size(), 80'000u);
}

TEST(FtapWriter, AFileThatStandsThereIsReplacedOrKept) {
  const Folder folder;
  const std::string path = folder.file("a.ftap");
  std::ofstream(path) << "old";
  ::chmod(path.c_str(), 0600);
  const auto beside = FtapWriter::create(path, Existing::keep_both);
  ASSERT_TRUE(beside.ok());
  EXPECT_EQ((*beside)->path(), folder.file("a-2.ftap"));
  EXPECT_EQ(content_of(path), "old");
  const auto instead = FtapWriter::create(path, Existing::replace);
  ASSERT_TRUE(instead.ok());
  EXPECT_EQ((*instead)->path(), path);
  EXPECT_EQ(content_of(path).size(), kFtapFileHeaderBytes);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u) << "a private one stays private";
}

TEST(FtapWriter, SaysWhyItCannotWrite) {
  const Folder folder;
  EXPECT_THAT(FtapWriter::create("/no/such/a.ftap", Existing::replace).error().message, HasSubstr("/no/such/a.ftap"));
  EXPECT_THAT(FtapWriter::create(folder.file(""), Existing::replace).error().message, HasSubstr("directory"));
  EXPECT_THAT(FtapWriter::create("/dev/full", Existing::replace).error().message, HasSubstr("No space left"));
}

TEST(FtapWriter, AReaderThatWentAwayIsAnErrorAndNoSignal) {
  const Folder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Fd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const auto writer = FtapWriter::create(path, Existing::replace);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  ASSERT_TRUE((*writer)->checkpoint(profile::Profile()).ok());
  reader = Fd();
  EXPECT_THAT((*writer)->checkpoint(profile::Profile()).error().message, HasSubstr("Broken pipe"));
}

// A limit on the size of files stands for a disk that is full: the write that crosses it comes back short.
TEST(FtapWriter, AFullDiskLeavesWhatWasWritten) {
  const Folder folder;
  const std::string path = folder.file("a.ftap");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    profile::TestProfile tables;
    const profile::ThreadId thread = tables.thread("MainThread", 7);
    std::mt19937_64 random(1);
    const auto writer = FtapWriter::create(path, Existing::replace);
    for (int chunk = 0; writer && chunk < 100; ++chunk) {
      for (int i = 0; i < 1000; ++i) {
        (void)!(*writer)->add(tables.profile, sample_at(tables, thread, random() >> 20)).ok();
      }
      const Result<void> done = (*writer)->checkpoint(tables.profile);
      if (!done) ::_exit(done.error().message.find(path + ": File too large") != std::string::npos ? chunk : 100);
    }
    ::_exit(101);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  const int whole_chunks = WEXITSTATUS(status);
  ASSERT_GT(whole_chunks, 0);
  ASSERT_LT(whole_chunks, 100);
  const Result<ReadProfile> read = read_any(path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->profile.samples().size(), static_cast<std::size_t>(whole_chunks) * 1000);
  EXPECT_EQ(read->warnings.size(), 1u) << "cut off, but nothing half-written: " << read->warnings[0];
}

// Ten minutes of a busy program of one thread at 1 kHz: 2,000 stacks, some far more frequent than others, a tick at a
// random moment of each millisecond, a missed one now and then. Counts bytes, not time.
double bytes_per_sample(std::uint32_t time_unit_ns) {
  constexpr std::uint64_t kSeconds = 600;
  constexpr int kStacks = 2000;
  profile::TestProfile tables;
  const profile::ThreadId thread = tables.thread("MainThread", 7);
  std::mt19937_64 random(1);
  std::vector<profile::StackId> stacks;
  std::vector<double> frequency;
  profile::StackId parent = profile::kEmptyStack;
  for (int i = 0; i < kStacks; ++i) {
    const std::string name = "Module.method_number_" + std::to_string(random() % 500);
    const std::string file = "/usr/lib/python3/dist-packages/package/module_" + std::to_string(random() % 50) + ".py";
    const profile::Function function{tables.profile.intern(name), tables.profile.intern(file),
                                     static_cast<std::int32_t>(random() % 900), profile::FrameKind::python};
    const auto line = static_cast<std::int32_t>(random() % 1000);
    const auto frame = tables.profile.intern(profile::Frame{tables.profile.intern(function), line});
    stacks.push_back(tables.profile.push(parent, frame));
    parent = stacks[random() % stacks.size()];
    frequency.push_back(1.0 / (1 + i));
  }
  std::discrete_distribution<std::size_t> which(frequency.begin(), frequency.end());
  FtapEncoder encoder({.recording_id = 1, .time_unit_ns = time_unit_ns});
  std::size_t bytes = encoder.header().size();
  std::uint64_t samples = 0;
  std::string chunk;
  for (std::uint64_t second = 0; second < kSeconds; ++second) {
    for (std::uint64_t slot = 0; slot < 1000; ++slot) {
      const bool missed = random() % 500 == 0;
      const std::uint64_t time = second * 1'000'000'000 + slot * 1'000'000 + random() % 1'000'000;
      const auto state = static_cast<stack::State>(random() % 20 == 0 ? 1 : 3);
      encoder.add({time, missed ? 2'000'000u : 1'000'000u, thread, stacks[which(random)], 1, state});
      slot += missed ? 1 : 0;
      ++samples;
    }
    tables.profile.recording.duration_ns = second * 1'000'000'000;
    tables.profile.recording.quality.ticks = samples;
    tables.profile.recording.quality.free_running = samples;
    EXPECT_FALSE(encoder.next_chunk(tables.profile, chunk));
    bytes += chunk.size();
  }
  return static_cast<double>(bytes) / static_cast<double>(samples);
}

TEST(FtapSize, TenHoursAtAThousandHertzStayUnder200MB) {
  constexpr double kSamples = 36'000'000;
  const double recorded = bytes_per_sample(FtapWriter::kRecordedTimeUnit);
  const double exact = bytes_per_sample(1);
  RecordProperty("bytes_per_sample_microseconds", std::to_string(recorded));
  RecordProperty("bytes_per_sample_nanoseconds", std::to_string(exact));
  std::printf("bytes per sample: %.2f with microseconds, %.2f with nanoseconds\n", recorded, exact);
  EXPECT_LT(recorded * kSamples, 200e6);
  EXPECT_LT(recorded, 4);
  EXPECT_LT(exact, 5.5);
}

TEST(FtapSize, SamplesThatAreAllAlikeTakeLittleAndAreStillRead) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  const profile::StackId stack = test.stack({"f"});
  for (int i = 0; i < 100'000; ++i) test.profile.add({0, 0, thread, stack, 1, 0});
  const std::string bytes = write_ftap(test.profile);
  EXPECT_LT(bytes.size(), 25'000u);
  const Result<ReadProfile> read = read_any_text(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->profile.samples().size(), 100'000u);
}

TEST(FtapSize, ALongTextIsNotRepeatedInEveryChunk) {
  profile::Profile tables;
  std::mt19937_64 random(1);
  std::string command;
  for (int i = 0; i < 100'000; ++i) command += static_cast<char>('a' + random() % 26);
  tables.add(profile::Process{7, command, "3.11.7"});
  FtapEncoder encoder({.recording_id = 1});
  std::size_t bytes = 0;
  std::string chunk;
  for (int i = 0; i < 1000; ++i) {
    (void)encoder.next_chunk(tables, chunk);
    bytes += chunk.size();
  }
  EXPECT_LT(bytes, 1'500'000u);
}

}  // namespace
}  // namespace flametap::format

#include "target/credentials.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/fd.h"

namespace flametap::target {
namespace {

TEST(Credentials, AsTheKernelSaysThem) {
  const auto found = Credentials::parse("Name:\tUid: 7\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10 \n");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (Credentials{.user = 4, .group = 8, .groups = {9, 10}}));
  const auto none = Credentials::parse("Uid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t\n");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->groups.empty());
}

TEST(Credentials, HalfOfThemAreNone) {
  for (const char* const status :
       {"", "Uid:\t1\t2\t3\t4\n", "Uid:\t1\nGid:\t5\t6\t7\t8\nGroups:\t\n",
        "Uid:\t1\t2\t3\tx\nGid:\t5\t6\t7\t8\nGroups:\t\n", "Uid:\t1\t2\t3\t99999999999\nGid:\t5\t6\t7\t8\nGroups:\t\n"})
    EXPECT_FALSE(Credentials::parse(status)) << status;
}

TEST(Credentials, OfThisProcess) {
  const auto process = Process::open(getpid());
  ASSERT_TRUE(process);
  const auto found = Credentials::of(*process);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->user, geteuid());
  EXPECT_EQ(found->group, getegid());
}

TEST(BorrowedCredentials, OpenWhatTheOtherMayOpenAndNoMore) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can take the rights of others";
  std::string folder = testing::TempDir() + "credentials_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/secret";
  ASSERT_TRUE(Fd(open(file.c_str(), O_CREAT | O_WRONLY, 0644)));  // but nobody else may enter the folder
  constexpr uid_t kNobody = 65'534;
  {
    const auto borrowed = BorrowedCredentials::take({.user = kNobody, .group = kNobody});
    ASSERT_TRUE(borrowed) << borrowed.error().message;
    EXPECT_FALSE(Fd(open(file.c_str(), O_RDONLY)));
    EXPECT_TRUE(Fd(open("/etc/passwd", O_RDONLY)));
  }
  EXPECT_TRUE(Fd(open(file.c_str(), O_RDONLY)));
  unlink(file.c_str());
  rmdir(folder.c_str());
}

}  // namespace
}  // namespace flametap::target

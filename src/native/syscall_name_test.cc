#include "native/syscall_name.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

namespace flametap::native {
namespace {

TEST(SyscallName, KnowsTheCallsOfTheHeaders) {
  EXPECT_EQ(syscall_name(SYS_read), "read");
  EXPECT_EQ(syscall_name(SYS_futex), "futex");
  EXPECT_EQ(syscall_name(SYS_clock_nanosleep), "clock_nanosleep");
  EXPECT_EQ(syscall_name(SYS_openat2), "openat2");
}

TEST(SyscallName, NumbersWhatItDoesNotKnow) {
  EXPECT_EQ(syscall_name(99999), "syscall_99999");
  EXPECT_EQ(syscall_name(-1), "syscall_-1");
}

}  // namespace
}  // namespace flametap::native

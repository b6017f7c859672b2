#include "target/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/process_memory.h"
#include "target/test_child.h"

namespace flametap::target {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kTrace = std::uint64_t{1} << CAP_SYS_PTRACE;

TEST(Rights, AnotherUser) {
  const Error error = explain_denied(RightsFacts{.pid = 7, .us = {.user = 4'000'001}, .their_uid = 4'000'002});
  EXPECT_EQ(error.kind, Failure::not_permitted);
  EXPECT_EQ(error.message,
            "we may not look into process 7: it runs as another user (uid 4000002), and we are uid 4000001");
  EXPECT_THAT(error.remedy, HasSubstr("sudo flametap"));
}

TEST(Rights, Yama) {
  RightsFacts facts{.pid = 7, .us = {.user = 1000, .yama_scope = 1}, .their_uid = 1000};
  EXPECT_THAT(explain_denied(facts).message, HasSubstr("ptrace_scope is 1"));
  EXPECT_THAT(explain_denied(facts).remedy, HasSubstr("sudo sysctl kernel.yama.ptrace_scope=0"));
  facts.us.yama_scope = 2;
  EXPECT_THAT(explain_denied(facts).remedy, testing::StartsWith("run it as root"));
  facts.us.yama_scope = 3;
  facts.us.capabilities = kTrace;
  EXPECT_THAT(explain_denied(facts).message, HasSubstr("until a reboot"));
}

TEST(Rights, RootInAContainerWithoutTheCapability) {
  const Error error = explain_denied(
      RightsFacts{.pid = 7, .us = {.container = {ContainerKind::docker, "/.dockerenv"}}, .their_uid = 33});
  EXPECT_THAT(error.message, HasSubstr("root without the capability CAP_SYS_PTRACE"));
  EXPECT_THAT(error.remedy, HasSubstr("docker run --cap-add=SYS_PTRACE"));
}

TEST(Rights, OtherReasons) {
  EXPECT_THAT(explain_denied(RightsFacts{.dumpable = false}).message, HasSubstr("not dumpable"));
  EXPECT_THAT(explain_denied(RightsFacts{.they_have_more_capabilities = true}).message,
              HasSubstr("capabilities that we lack"));
  EXPECT_THAT(explain_denied(RightsFacts{.us = {.capabilities = kTrace}, .same_user_namespace = false}).message,
              HasSubstr("another user namespace"));
  EXPECT_THAT(explain_denied(RightsFacts{.us = {.capabilities = kTrace}, .same_user_namespace = true}).message,
              HasSubstr("security module"));
  EXPECT_THAT(explain_denied(RightsFacts{}).message, HasSubstr("the kernel refused"));
}

// Whether a reader without rights is denied and finds `reason`; asked in a child that gives its rights up.
bool explains(pid_t target, const std::string& reason) {
  TestChild reader = TestChild::run([&](const auto& ready) {
    ready();
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    ProcessMemory memory(target);
    char byte = 0;
    if (memory.read_value(Address{reinterpret_cast<std::uintptr_t>(&byte)}, byte) != ReadStatus::denied) _exit(2);
    const Result<Process> process = Process::open(target);
    if (!process) _exit(3);
    _exit(explain_denied(*process).message.find(reason) != std::string::npos ? 42 : 4);
  });
  return WEXITSTATUS(reader.wait()) == 42;
}

TEST(Rights, RealProcessOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  EXPECT_TRUE(explains(getpid(), "another user (root)"));
}

TEST(Rights, RealProcessThatIsNotDumpable) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const TestChild child = TestChild::run([](const auto& ready) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    prctl(PR_SET_DUMPABLE, 0);
    ready();
  });
  EXPECT_TRUE(explains(child.pid(), "not dumpable"));
}

}  // namespace
}  // namespace flametap::target

#include "target/surroundings.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace flametap::target {
namespace {

using namespace std::string_literals;

TEST(Surroundings, ContainersByTheirMarks) {
  EXPECT_EQ(tell_container({}).kind, ContainerKind::none);
  EXPECT_EQ(tell_container({.docker_file = true}).kind, ContainerKind::docker);
  EXPECT_EQ(tell_container({.podman_file = true}).kind, ContainerKind::podman);
  EXPECT_EQ(tell_container({.docker_file = true, .kubernetes_variable = true}).kind, ContainerKind::kubernetes);
  EXPECT_EQ(tell_container({.systemd_name = "systemd-nspawn\n"}).kind, ContainerKind::nspawn);
  EXPECT_EQ(tell_container({.systemd_name = "rkt"}).kind, ContainerKind::other);
}

TEST(Surroundings, ContainersByTheEnvironmentOfProcessOne) {
  EXPECT_EQ(tell_container({.first_environment = "TERM=linux\0container=lxc\0"s}).kind, ContainerKind::lxc);
  EXPECT_EQ(tell_container({.first_environment = "container=podman"}).kind, ContainerKind::podman);
  EXPECT_EQ(tell_container({.first_environment = "container=\0my_container=lxc\0container"s}).kind,
            ContainerKind::none);
}

TEST(Surroundings, ContainersByTheirCgroups) {
  const auto kind = [](const char* cgroup) { return tell_container({.cgroup = cgroup}).kind; };
  EXPECT_EQ(kind("0::/docker/3f2a\n"), ContainerKind::docker);
  EXPECT_EQ(kind("0::/system.slice/docker-3f2a.scope\n"), ContainerKind::docker);
  EXPECT_EQ(kind("0::/system.slice/docker.service\n"), ContainerKind::none);
  EXPECT_EQ(kind("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-9.scope\n"), ContainerKind::kubernetes);
  EXPECT_EQ(kind("0::/machine.slice/libpod-77.scope\n"), ContainerKind::podman);
  EXPECT_EQ(kind("0::/lxc.payload.web/init.scope\n"), ContainerKind::lxc);
  EXPECT_EQ(kind("0::/user.slice/user-1000.slice/session-1.scope\n"), ContainerKind::none);
}

// Asked in a child that gives its rights up.
TEST(Surroundings, OfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    const Surroundings us = look_around();
    _exit(us.user == 65534 && us.capabilities == 0 ? 42 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(Surroundings, OfOurselves) {
  const Surroundings us = look_around();
  EXPECT_EQ(us.user, geteuid());
  EXPECT_TRUE(us.program.ends_with("target_test")) << us.program;
}

}  // namespace
}  // namespace flametap::target

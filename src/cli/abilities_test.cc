#include "cli/abilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>

#include "target/rights.h"

namespace flametap::cli {
namespace {

using target::ContainerKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kAllRights = ~std::uint64_t{0};
constexpr uid_t kNobodyKnown = 4'000'001;

// A machine of which we are root, and on which all works.
MachineFacts of_root() {
  return {.version = "1",
          .kernel = "Linux 6",
          .architecture = "x86_64",
          .usable_cpus = {0, 1},
          .online_cpus = 2,
          .us = {.capabilities = kAllRights, .program = "/opt/flametap"},
          .child = {.tried = true, .can_read = true, .can_pause = true, .read_microseconds = 1}};
}

// The same machine for somebody without any right.
MachineFacts of_user() {
  MachineFacts facts = of_root();
  facts.us.user = kNobodyKnown;
  facts.us.capabilities = 0;
  facts.no_process_events = "the kernel does not tell us about new processes: Operation not permitted";
  facts.no_interrupts = "the kernel does not take the program: Operation not permitted";
  return facts;
}

void deny_everything(MachineFacts& facts) { facts.child.can_read = facts.child.can_pause = false; }

Ability find(const MachineFacts& facts, const std::string& name) {
  for (const Ability& ability : judge(facts)) {
    if (ability.name.find(name) != std::string::npos) return ability;
  }
  ADD_FAILURE() << "no ability is called " << name;
  return {};
}

TEST(Abilities, RootCanDoAll) {
  for (const Ability& ability : judge(of_root())) {
    EXPECT_EQ(ability.grade, Grade::works) << ability.name << ": " << ability.why;
    EXPECT_EQ(ability.remedy, "");
  }
}

TEST(Abilities, WhateverIsLimitedHasAReasonAndARemedy) {
  for (const int scope : {0, 1, 2, 3}) {
    for (int kind = 0; kind <= static_cast<int>(ContainerKind::other); ++kind) {
      MachineFacts facts = of_user();
      facts.us.yama_scope = scope;
      facts.us.container.kind = static_cast<ContainerKind>(kind);
      facts.us.own_pid_namespace = facts.us.own_user_namespace = kind % 2 == 1;
      facts.online_cpus = 4;
      if (scope > 1) deny_everything(facts);
      for (const Ability& ability : judge(facts)) {
        if (ability.grade == Grade::works) continue;
        EXPECT_NE(ability.why, "") << ability.name;
        EXPECT_NE(ability.remedy, "") << ability.name;
      }
    }
  }
}

TEST(Abilities, OfAUser) {
  MachineFacts facts = of_user();
  facts.us.reachable = kAllRights;
  EXPECT_EQ(find(facts, "our own").grade, Grade::works);
  const Ability others = find(facts, "other users");
  EXPECT_EQ(others.grade, Grade::no);
  EXPECT_EQ(others.why, "uid 4000001 has no CAP_SYS_PTRACE");
  EXPECT_THAT(others.remedy,
              AllOf(HasSubstr("sudo flametap"),
                    HasSubstr("sudo setcap cap_sys_ptrace,cap_net_admin,cap_bpf,cap_perfmon+ep /opt/flametap")));
  const Ability children = find(facts, "every child");
  EXPECT_THAT(children.why, AllOf(HasSubstr("Operation not permitted"), HasSubstr("--children may miss")));
  EXPECT_THAT(children.remedy, HasSubstr("sudo flametap"));
}

TEST(Abilities, Yama) {
  MachineFacts facts = of_user();
  facts.us.yama_scope = 1;
  EXPECT_EQ(find(facts, "our own").grade, Grade::partly);
  EXPECT_THAT(find(facts, "our own").why, HasSubstr("record -- COMMAND"));
  EXPECT_THAT(find(facts, "our own").remedy, testing::StartsWith("sudo sysctl kernel.yama.ptrace_scope=0, or "));
  deny_everything(facts);
  facts.us.yama_scope = 2;
  EXPECT_EQ(find(facts, "our own").grade, Grade::no);
  EXPECT_THAT(find(facts, "our own").why, HasSubstr("ptrace_scope is 2"));
  EXPECT_THAT(find(facts, "our own").remedy, testing::StartsWith("run it as root: sudo flametap"));
  MachineFacts root = of_root();
  deny_everything(root);
  root.us.yama_scope = 3;
  EXPECT_THAT(find(root, "our own").remedy, HasSubstr("restart the machine"));
  EXPECT_EQ(find(root, "other users").grade, Grade::no);
  EXPECT_THAT(find(root, "stop a thread").why, HasSubstr("ptrace_scope is 3"));
}

TEST(Abilities, YamaDoesNotLimitRoot) {
  for (const int scope : {0, 1, 2}) {
    MachineFacts facts = of_root();
    facts.us.yama_scope = scope;
    EXPECT_EQ(find(facts, "our own").grade, Grade::works);
    EXPECT_EQ(find(facts, "other users").grade, Grade::works);
  }
}

TEST(Abilities, ContainerOfDockerWithoutTheCapability) {
  MachineFacts facts = of_root();
  facts.us.capabilities = std::uint64_t{1} << CAP_CHOWN;
  facts.us.container = {ContainerKind::docker, "/.dockerenv"};
  facts.us.own_pid_namespace = true;
  EXPECT_THAT(find(facts, "other users").remedy,
              AllOf(HasSubstr("docker run --cap-add=SYS_PTRACE"), Not(HasSubstr("Kubernetes"))));
  EXPECT_THAT(find(facts, "all processes").remedy, HasSubstr("docker run --pid=host"));
}

TEST(Abilities, AUserInAContainer) {
  MachineFacts facts = of_user();
  facts.us.container = {ContainerKind::docker, "/.dockerenv"};
  EXPECT_THAT(find(facts, "other users").remedy, HasSubstr("docker run --cap-add=SYS_PTRACE --user=root"));
  facts.us.reachable = kAllRights;  // its root has what it takes
  EXPECT_THAT(find(facts, "other users").remedy, HasSubstr("docker exec --user=root"));
}

TEST(Abilities, Pod) {
  MachineFacts facts = of_user();
  facts.us.container = {ContainerKind::kubernetes, "KUBERNETES_SERVICE_HOST"};
  facts.us.own_pid_namespace = true;
  EXPECT_THAT(find(facts, "other users").remedy,
              HasSubstr("securityContext: {runAsUser: 0, capabilities: {add: [SYS_PTRACE]}}"));
  EXPECT_THAT(find(facts, "all processes").remedy, HasSubstr("kubectl debug"));
  EXPECT_THAT(find(facts, "every child").remedy, HasSubstr("hostPID: true"));
}

TEST(Abilities, SeccompFilter) {
  MachineFacts facts = of_root();
  facts.us.seccomp_filter = true;
  EXPECT_EQ(find(facts, "our own").grade, Grade::works);  // a filter that does not mind
  facts.child.can_read = false;
  EXPECT_THAT(find(facts, "our own").why, HasSubstr("a seccomp filter denies process_vm_readv"));
  EXPECT_THAT(find(facts, "our own").remedy, HasSubstr("SystemCallFilter"));
  EXPECT_EQ(find(facts, "stop a thread").grade, Grade::works);
  facts.us.container.kind = ContainerKind::podman;
  facts.child.can_pause = false;
  EXPECT_THAT(find(facts, "our own").remedy, HasSubstr("podman run --cap-add=SYS_PTRACE --security-opt seccomp="));
  EXPECT_THAT(find(facts, "stop a thread").why, AllOf(HasSubstr("denies ptrace"), HasSubstr("torn")));
}

TEST(Abilities, UserNamespace) {
  MachineFacts facts = of_root();
  facts.us.own_user_namespace = true;
  facts.no_process_events = "it does not answer";
  EXPECT_EQ(find(facts, "other users").grade, Grade::partly);
  EXPECT_THAT(find(facts, "other users").why, HasSubstr("user namespace"));
  // Nothing that can be given to us inside would help.
  for (const char* name : {"other users", "every child"}) {
    EXPECT_EQ(find(facts, name).remedy, "run flametap on the host: sudo flametap ...");
  }
}

TEST(Abilities, Interrupts) {
  MachineFacts facts = of_user();
  // Its kernel does not know the rights: whoever asks setcap for them gets nothing at all.
  EXPECT_THAT(find(facts, "in an interrupt").remedy, HasSubstr("Linux 5.10"));
  EXPECT_THAT(find(facts, "other users").remedy, Not(HasSubstr("cap_bpf")));
  facts.us.reachable = kAllRights;
  EXPECT_EQ(find(facts, "in an interrupt").grade, Grade::partly);
  EXPECT_THAT(find(facts, "in an interrupt").why,
              AllOf(HasSubstr("does not take the program"), HasSubstr("ride along")));
  EXPECT_THAT(find(facts, "in an interrupt").remedy, HasSubstr("sudo flametap"));
  facts.us.user = 0;
  facts.us.container.kind = ContainerKind::docker;
  EXPECT_THAT(find(facts, "in an interrupt").remedy, HasSubstr("docker run --cap-add=BPF --cap-add=PERFMON ..."));
  facts.us.container.kind = ContainerKind::kubernetes;
  EXPECT_THAT(find(facts, "in an interrupt").remedy, HasSubstr("{add: [BPF, PERFMON]}"));
  facts.us.capabilities = std::uint64_t{1} << CAP_SYS_ADMIN;
  EXPECT_THAT(find(facts, "in an interrupt").remedy, HasSubstr("Linux 5.10"));
  facts.us.own_user_namespace = true;
  EXPECT_THAT(find(facts, "in an interrupt").remedy, HasSubstr("on the host"));
}

TEST(Abilities, OneCpuAlone) {
  MachineFacts facts = of_root();
  facts.usable_cpus = {0};
  facts.online_cpus = 1;
  EXPECT_EQ(find(facts, "in an interrupt").grade, Grade::partly);
  EXPECT_EQ(find(facts, "ride along on").grade, Grade::works);
}

TEST(Abilities, FewerCpus) {
  MachineFacts facts = of_root();
  facts.online_cpus = 4;
  EXPECT_THAT(find(facts, "ride along").why, HasSubstr("2 of 4 CPUs are closed to us"));
  EXPECT_THAT(find(facts, "ride along").remedy, HasSubstr("taskset -c 0-3 flametap"));
}

// What is said before and what is said when it fails is the same.
TEST(Abilities, AgreeWithErrors) {
  MachineFacts facts = of_user();
  const auto denied = [&] {
    return target::explain_denied({.pid = 7, .us = facts.us, .their_uid = kNobodyKnown + 1}).remedy;
  };
  EXPECT_EQ(find(facts, "other users").remedy, denied());
  facts.us.container.kind = ContainerKind::docker;
  EXPECT_EQ(find(facts, "other users").remedy, denied());
  facts.us.yama_scope = 1;
  EXPECT_EQ(find(facts, "our own").remedy,
            target::explain_denied({.pid = 7, .us = facts.us, .their_uid = kNobodyKnown}).remedy);
}

}  // namespace
}  // namespace flametap::cli

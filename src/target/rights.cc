#include "target/rights.h"

#include <linux/capability.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>

#include "target/proc_file.h"

namespace flametap::target {
namespace {

template <typename T>
std::optional<T> parse_whole(std::string_view text, int base) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t capabilities(const Result<std::string>& status, std::string_view key) {
  const auto field = status ? find_field(*status, key) : std::nullopt;
  return field ? parse_whole<std::uint64_t>(*field, 16).value_or(0) : 0;
}

std::optional<ino_t> inode_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_ino;
}

std::optional<int> read_yama_scope() {
  const Result<std::string> text = read_proc_file("/proc/sys/kernel/yama/ptrace_scope");
  return text ? parse_whole<int>(*text, 10) : std::nullopt;
}

// The marks that docker, podman and systemd-nspawn leave for those inside.
bool runs_in_container() {
  return inode_of("/.dockerenv") || inode_of("/run/.containerenv") || inode_of("/run/systemd/container");
}

std::string name_of(uid_t uid) {
  const passwd* const entry = ::getpwuid(uid);
  return entry != nullptr ? entry->pw_name : "uid " + std::to_string(uid);
}

constexpr const char* kAsRoot = "run it as root: sudo flametap ...";
constexpr const char* kContainer =
    "give the container the right: docker run --cap-add=SYS_PTRACE ..., or in Kubernetes "
    "securityContext.capabilities.add: [SYS_PTRACE]; or run flametap on the host: sudo flametap ...";

std::string remedy_without_capability(const RightsFacts& facts) {
  return facts.our_uid == 0 || facts.in_container ? kContainer : kAsRoot;
}

// Reasons that hold for whoever lacks CAP_SYS_PTRACE; in the order in which the kernel checks them.
Error explain_without_capability(const RightsFacts& facts, const std::string& may_not) {
  const std::string remedy = remedy_without_capability(facts);
  if (facts.their_uid != facts.our_uid) {
    const std::string lack = facts.our_uid == 0 ? "root without the capability CAP_SYS_PTRACE" : name_of(facts.our_uid);
    return {Failure::not_permitted,
            may_not + "it runs as another user (" + name_of(facts.their_uid) + "), and we are " + lack, remedy};
  }
  if (!facts.dumpable) {
    return {Failure::not_permitted,
            may_not +
                "it is protected (not dumpable): it changed its user, or its file cannot be read, or it asked "
                "for that with prctl",
            remedy};
  }
  if (facts.they_have_more_capabilities) {
    return {Failure::not_permitted, may_not + "it has capabilities that we lack", remedy};
  }
  if (facts.yama_scope.value_or(0) > 0) {
    return {Failure::not_permitted,
            may_not + "kernel.yama.ptrace_scope is " + std::to_string(*facts.yama_scope) +
                ", which allows reading only one's own children",
            *facts.yama_scope == 1 ? "sudo sysctl kernel.yama.ptrace_scope=0, or " + remedy : remedy};
  }
  return {Failure::not_permitted,
          may_not +
              "the kernel refused it; we lack the capability CAP_SYS_PTRACE, and a container or a security module "
              "(seccomp, AppArmor, SELinux) may forbid it",
          remedy};
}

}  // namespace

RightsFacts gather_rights(const Process& process) {
  RightsFacts facts;
  facts.pid = process.pid();
  facts.our_uid = ::geteuid();
  facts.their_uid = facts.our_uid;
  if (const Result<Process::Status> status = process.status()) {
    // The kernel wants all three of its user ids to be ours.
    for (const uid_t uid : {status->effective_uid, status->saved_uid, status->real_uid}) {
      if (uid != facts.our_uid) facts.their_uid = uid;
    }
    // The files of a process that is not dumpable belong to root.
    struct stat file {};
    facts.dumpable = ::stat(process.path("stat").c_str(), &file) != 0 || file.st_uid == status->effective_uid;
  }
  const Result<std::string> ours = read_proc_file("/proc/self/status");
  const std::uint64_t our_capabilities = capabilities(ours, "CapEff");
  facts.we_may_trace = (our_capabilities >> CAP_SYS_PTRACE & 1) != 0;
  const std::uint64_t theirs = capabilities(process.read_file("status"), "CapPrm");
  facts.they_have_more_capabilities = (theirs & ~capabilities(ours, "CapPrm")) != 0;
  const auto our_namespace = inode_of("/proc/self/ns/user");
  const auto their_namespace = inode_of(process.path("ns/user"));
  if (our_namespace && their_namespace) facts.same_user_namespace = *our_namespace == *their_namespace;
  facts.yama_scope = read_yama_scope();
  facts.in_container = runs_in_container();
  return facts;
}

Error explain_denied(const RightsFacts& facts) {
  const std::string may_not = "we may not look into process " + std::to_string(facts.pid) + ": ";
  if (facts.yama_scope == 3) {
    return {Failure::not_permitted,
            may_not + "kernel.yama.ptrace_scope is 3, which forbids it to everybody, root included, until a reboot",
            "set kernel.yama.ptrace_scope to 0 or 1 in /etc/sysctl.d and restart the machine"};
  }
  if (!facts.we_may_trace) return explain_without_capability(facts, may_not);
  if (facts.same_user_namespace == false) {
    return {Failure::not_permitted,
            may_not + "it runs in another user namespace, in which our CAP_SYS_PTRACE does not count",
            "run flametap on the host: sudo flametap ..."};
  }
  return {Failure::not_permitted,
          may_not +
              "the kernel refused it although we have CAP_SYS_PTRACE; a container's user namespace or a security "
              "module (seccomp, AppArmor, SELinux, lockdown) forbids it",
          "run flametap on the host: sudo flametap ...; a container started by an old docker needs --security-opt "
          "seccomp=unconfined"};
}

}  // namespace flametap::target

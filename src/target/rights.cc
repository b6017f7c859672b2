#include "target/rights.h"

#include <linux/capability.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdint>
#include <string>

#include "target/proc_file.h"
#include "target/remedy.h"

namespace flametap::target {
namespace {

std::uint64_t permitted(const Result<std::string>& status) {
  const auto field = status ? find_field(*status, "CapPrm") : std::nullopt;
  std::uint64_t bits = 0;
  if (field) std::from_chars(field->data(), field->data() + field->size(), bits, 16);
  return bits;
}

std::optional<ino_t> inode_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_ino;
}

// Reasons that hold for whoever lacks CAP_SYS_PTRACE; in the order in which the kernel checks them.
Error explain_without_capability(const RightsFacts& facts, const std::string& may_not) {
  const Surroundings& us = facts.us;
  const std::string remedy = remedy_for(Lack::trace, us);
  if (facts.their_uid != us.user) {
    const std::string lack = us.user == 0 ? "root without the capability CAP_SYS_PTRACE" : user_name(us.user);
    return {Failure::not_permitted,
            may_not + "it runs as another user (" + user_name(facts.their_uid) + "), and we are " + lack, remedy};
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
  if (us.yama_scope.value_or(0) > 0) {
    return {
        Failure::not_permitted,
        may_not + "kernel.yama.ptrace_scope is " + std::to_string(*us.yama_scope) +
            (*us.yama_scope == 1 ? ", which allows reading only one's own children" : ", which allows it only to root"),
        remedy_for(Lack::attach, us)};
  }
  return {Failure::not_permitted,
          may_not +
              "the kernel refused it; we lack the capability CAP_SYS_PTRACE, and a container or a security module "
              "(seccomp, AppArmor, SELinux) may forbid it",
          us.seccomp_filter ? remedy_for(Lack::system_calls, us) : remedy};
}

}  // namespace

RightsFacts gather_rights(const Process& process) {
  RightsFacts facts;
  facts.pid = process.pid();
  facts.us = look_around();
  facts.their_uid = facts.us.user;
  if (const Result<Process::Status> status = process.status()) {
    // The kernel wants all three of its user ids to be ours.
    for (const uid_t uid : {status->effective_uid, status->saved_uid, status->real_uid}) {
      if (uid != facts.us.user) facts.their_uid = uid;
    }
    // The files of a process that is not dumpable belong to root.
    struct stat file {};
    facts.dumpable = ::stat(process.path("stat").c_str(), &file) != 0 || file.st_uid == status->effective_uid;
  }
  const std::uint64_t theirs = permitted(process.read_file("status"));
  facts.they_have_more_capabilities = (theirs & ~permitted(read_proc_file("/proc/self/status"))) != 0;
  const auto our_namespace = inode_of("/proc/self/ns/user");
  const auto their_namespace = inode_of(process.path("ns/user"));
  if (our_namespace && their_namespace) facts.same_user_namespace = *our_namespace == *their_namespace;
  return facts;
}

Error explain_denied(const RightsFacts& facts) {
  const std::string may_not = "we may not look into process " + std::to_string(facts.pid) + ": ";
  const Surroundings& us = facts.us;
  if (us.yama_scope == 3) {
    return {Failure::not_permitted,
            may_not + "kernel.yama.ptrace_scope is 3, which forbids it to everybody, root included, until a reboot",
            remedy_for(Lack::attach_ever, us)};
  }
  if (!us.has(CAP_SYS_PTRACE)) return explain_without_capability(facts, may_not);
  if (facts.same_user_namespace == false) {
    return {Failure::not_permitted,
            may_not + "it runs in another user namespace, in which our CAP_SYS_PTRACE does not count",
            remedy_for(Lack::outside, us)};
  }
  return {Failure::not_permitted,
          may_not +
              "the kernel refused it although we have CAP_SYS_PTRACE; a container's user namespace or a security "
              "module (seccomp, AppArmor, SELinux, lockdown) forbids it",
          remedy_for(Lack::system_calls, us)};
}

}  // namespace flametap::target

#include "cli/abilities.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <string_view>

#include "target/remedy.h"

namespace flametap::cli {
namespace {

using target::Lack;
using target::remedy_for;
using target::Surroundings;

bool may_trace(const Surroundings& us) { return us.has(CAP_SYS_PTRACE); }

// Why not even our own child can be read or stopped.
Ability refused(const std::string& name, const Surroundings& us, std::string_view call) {
  if (us.yama_scope == 3) {
    return {name, Grade::no, "kernel.yama.ptrace_scope is 3, which forbids it to everybody until a reboot",
            remedy_for(Lack::attach_ever, us)};
  }
  if (us.yama_scope == 2 && !may_trace(us)) {
    return {name, Grade::no, "kernel.yama.ptrace_scope is 2, which allows it only to root",
            remedy_for(Lack::attach, us)};
  }
  const std::string who = us.seccomp_filter ? "a seccomp filter" : "the kernel or a security module";
  return {name, Grade::no, fmt::format("{} denies {}, even for a child of ours", who, call),
          remedy_for(Lack::system_calls, us)};
}

Ability read_own(const MachineFacts& facts) {
  const std::string name = "read our own processes";
  const Surroundings& us = facts.us;
  if (!facts.child.tried) return {name, Grade::partly, "not tried: no child could be started", "try again"};
  if (!facts.child.can_read) return refused(name, us, "process_vm_readv");
  if (us.yama_scope == 1 && !may_trace(us)) {
    return {name, Grade::partly,
            "kernel.yama.ptrace_scope is 1: only programs that flametap starts itself, with record -- COMMAND",
            remedy_for(Lack::attach, us)};
  }
  return {name, Grade::works, fmt::format("a child of ours, in {:.1f} µs", facts.child.read_microseconds), ""};
}

Ability read_others(const MachineFacts& facts, const Ability& own) {
  const std::string name = "read other users' processes";
  const Surroundings& us = facts.us;
  if (own.grade == Grade::no) return {name, Grade::no, "as not even our own can be read", own.remedy};
  if (!may_trace(us)) {
    return {name, Grade::no, fmt::format("{} has no CAP_SYS_PTRACE", target::user_name(us.user)),
            remedy_for(Lack::trace, us)};
  }
  if (us.own_user_namespace) {
    return {name, Grade::partly, "only those in our user namespace: our CAP_SYS_PTRACE does not count outside of it",
            remedy_for(Lack::outside, us)};
  }
  return {name, Grade::works, "", ""};
}

Ability see_processes(const MachineFacts& facts) {
  const std::string name = "see all processes of the machine";
  if (!facts.us.own_pid_namespace) return {name, Grade::works, "", ""};
  return {name, Grade::partly, "only those in our pid namespace; a PID is the one that they have inside",
          remedy_for(Lack::other_pids, facts.us)};
}

Ability stop_threads(const MachineFacts& facts) {
  const std::string name = "stop a thread that moves too fast, or for its C stack";
  if (!facts.child.tried) return {name, Grade::partly, "not tried: no child could be started", "try again"};
  if (facts.child.can_pause) return {name, Grade::works, "", ""};
  Ability ability = refused(name, facts.us, "ptrace");
  ability.why +=
      "; such samples are torn where we cannot ride along, and --native shows Python only of threads that run";
  return ability;
}

Ability ride_along(const MachineFacts& facts) {
  const std::string name = "ride along on every CPU";
  const int closed = facts.online_cpus - static_cast<int>(facts.usable_cpus.size());
  if (closed <= 0) return {name, Grade::works, "", ""};
  return {name, Grade::partly,
          fmt::format("{} of {} CPUs are closed to us; a thread that moves too fast there is stopped instead", closed,
                      facts.online_cpus),
          fmt::format("taskset -c 0-{} flametap ...; in a container, a wider cpuset", facts.online_cpus - 1)};
}

Ability interrupt(const MachineFacts& facts) {
  const std::string name = "read a thread that moves in an interrupt of its CPU";
  const std::string instead = "; we ride along with it instead, which holds it up for longer";
  if (facts.no_interrupts) {
    return {name, Grade::partly, *facts.no_interrupts + instead, remedy_for(Lack::interrupts, facts.us)};
  }
  if (facts.usable_cpus.size() < 2) {
    return {name, Grade::partly, "it takes a CPU besides that of the thread" + instead,
            "give flametap two CPUs or more"};
  }
  return {name, Grade::works, "", ""};
}

Ability see_children(const MachineFacts& facts) {
  const std::string name = "see every child of a program";
  if (!facts.no_process_events) return {name, Grade::works, "", ""};
  return {name, Grade::partly,
          *facts.no_process_events + "; --children may miss those that live for some milliseconds only",
          remedy_for(Lack::process_events, facts.us)};
}

}  // namespace

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::works:
      return "works";
    case Grade::partly:
      return "partly";
    case Grade::no:
      return "no";
  }
  return "";
}

std::vector<Ability> judge(const MachineFacts& facts) {
  const Ability own = read_own(facts);
  return {own,
          read_others(facts, own),
          see_processes(facts),
          interrupt(facts),
          ride_along(facts),
          stop_threads(facts),
          see_children(facts)};
}

}  // namespace flametap::cli

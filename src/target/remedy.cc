#include "target/remedy.h"

#include <linux/capability.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace flametap::target {
namespace {

constexpr const char* kOnTheHost = "run flametap on the host: sudo flametap ...";

// What to add where the container is started: options of docker's command line, and the same for a pod.
struct Grant {
  std::string options;
  std::string pod;
};

std::string in_container(ContainerKind kind, const Grant& grant) {
  switch (kind) {
    case ContainerKind::docker:
      return "docker run " + grant.options + " ...";
    case ContainerKind::podman:
      return "podman run " + grant.options + " ...";
    case ContainerKind::containerd:
      return "nerdctl run " + grant.options + " ...";
    case ContainerKind::kubernetes:
      return "in the pod's description: " + grant.pod;
    default:
      return "give the container the right: docker run " + grant.options + " ..., or in Kubernetes " + grant.pod;
  }
}

struct Capability {
  int number;
  std::string_view name;
};
constexpr Capability kSysPtrace{CAP_SYS_PTRACE, "SYS_PTRACE"};
constexpr Capability kNetAdmin{CAP_NET_ADMIN, "NET_ADMIN"};
constexpr Capability kBpf{CAP_BPF, "BPF"};
constexpr Capability kPerfmon{CAP_PERFMON, "PERFMON"};
using Capabilities = std::initializer_list<Capability>;

// Whether root could have them here. What the kernel is too old for nobody can.
bool may_have(const Surroundings& us, Capabilities wanted) {
  return std::ranges::all_of(wanted, [&](const Capability& each) { return (us.reachable >> each.number & 1) != 0; });
}

std::string as_root(const Surroundings& us) {
  switch (us.container.kind) {
    case ContainerKind::docker:
      return "run it as root: docker exec --user=root CONTAINER flametap ...";
    case ContainerKind::podman:
      return "run it as root: podman exec --user=root CONTAINER flametap ...";
    default:
      // All capabilities at once, since setcap forgets what was set before; but none that it may not know.
      return "run it as root: sudo flametap ..., or for all who may run it: sudo setcap "
             "cap_sys_ptrace,cap_net_admin" +
             std::string(may_have(us, {kBpf, kPerfmon}) ? ",cap_bpf,cap_perfmon" : "") + "+ep " + us.program;
  }
}

std::string by_capabilities(const Surroundings& us, Capabilities wanted) {
  const bool root_has_them = !us.in_container() || may_have(us, wanted);
  if (us.user != 0 && root_has_them) return as_root(us);
  // A root that lacks a capability is in a container, or in something as good as one. Who is not root there gets none
  // of what is added.
  const bool is_root = us.user == 0;
  std::string options;
  std::string names;
  for (const Capability& each : wanted) {
    options += (options.empty() ? "--cap-add=" : " --cap-add=") + std::string(each.name);
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  const Grant grant{
      options + (is_root ? "" : " --user=root"),
      "securityContext: {" + std::string(is_root ? "" : "runAsUser: 0, ") + "capabilities: {add: [" + names + "]}}"};
  return in_container(us.container.kind, grant) + "; or " + kOnTheHost;
}

std::string system_calls(const Surroundings& us) {
  if (us.in_container()) {
    return in_container(us.container.kind, {"--cap-add=SYS_PTRACE --security-opt seccomp=unconfined",
                                            "securityContext: {seccompProfile: {type: Unconfined}}"}) +
           "; or " + kOnTheHost;
  }
  return "run flametap outside of the sandbox (a systemd unit: SystemCallFilter=process_vm_readv ptrace)";
}

std::string other_pids(const Surroundings& us) {
  if (us.container.kind == ContainerKind::kubernetes) {
    return "beside another container: kubectl debug -it POD --target=CONTAINER --profile=general --image=IMAGE; for "
           "the "
           "whole machine, in the pod's description: hostPID: true";
  }
  if (!us.in_container()) return "run flametap outside of this pid namespace";
  return in_container(us.container.kind, {"--pid=host", "hostPID: true"}) + "; or " + kOnTheHost;
}

std::string process_events(const Surroundings& us) {
  if (us.own_user_namespace) return kOnTheHost;
  if (us.in_container()) {
    return in_container(us.container.kind,
                        {"--cap-add=NET_ADMIN --pid=host --net=host",
                         "hostPID: true, hostNetwork: true, securityContext: {capabilities: {add: [NET_ADMIN]}}"}) +
           "; or " + kOnTheHost;
  }
  if (us.user == 0) return "run flametap in the machine's own pid and network namespaces";
  return by_capabilities(us, {kNetAdmin});
}

std::string interrupts(const Surroundings& us) {
  if (us.own_user_namespace) return kOnTheHost;
  const bool has_the_right = us.has(CAP_SYS_ADMIN) || (us.has(CAP_BPF) && us.has(CAP_PERFMON));
  const bool is_too_old = !us.in_container() && !may_have(us, {kBpf, kPerfmon});
  if (has_the_right || is_too_old) return "Linux 5.10 or newer, with CONFIG_BPF_SYSCALL";
  return by_capabilities(us, {kBpf, kPerfmon});
}

}  // namespace

std::string remedy_for(Lack lack, const Surroundings& us) {
  switch (lack) {
    case Lack::trace:
      return by_capabilities(us, {kSysPtrace});
    case Lack::attach:
      if (us.yama_scope == 1) {
        return "sudo sysctl kernel.yama.ptrace_scope=0" + std::string(us.in_container() ? " on the host" : "") +
               ", or " + by_capabilities(us, {kSysPtrace});
      }
      return by_capabilities(us, {kSysPtrace});
    case Lack::attach_ever:
      return "set kernel.yama.ptrace_scope to 0 or 1 in /etc/sysctl.d and restart the machine";
    case Lack::system_calls:
      return system_calls(us);
    case Lack::outside:
      return kOnTheHost;
    case Lack::other_pids:
      return other_pids(us);
    case Lack::process_events:
      return process_events(us);
    case Lack::interrupts:
      return interrupts(us);
  }
  return "";
}

}  // namespace flametap::target

// Surroundings: who we are and where we run, as far as it decides what we may do with other processes.
//
// Values only, so that what follows from them can be tested for machines that are not at hand.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace flametap::target {

// The kernel gives it the same number on every machine.
inline constexpr ino_t kMachinePidNamespace = 0xeffffffc;

enum class ContainerKind : std::uint8_t { none, docker, podman, kubernetes, containerd, lxc, nspawn, other };

struct Container {
  ContainerKind kind = ContainerKind::none;
  std::string mark = {};  // by which it was told: a file, a variable, a cgroup
};

// What containers leave for those inside.
struct ContainerMarks {
  bool docker_file = false;            // /.dockerenv
  bool podman_file = false;            // /run/.containerenv
  bool kubernetes_variable = false;    // KUBERNETES_SERVICE_HOST, which every pod has
  std::string systemd_name = {};       // of /run/systemd/container
  std::string first_environment = {};  // of process 1: "A=b\0C=d\0"
  std::string cgroup = {};             // of /proc/self/cgroup
};

[[nodiscard]] Container tell_container(const ContainerMarks& marks);
// "docker", "Kubernetes" and so on; "none seen".
[[nodiscard]] std::string to_string(ContainerKind kind);

struct Surroundings {
  uid_t user = 0;                                // effective
  std::uint64_t capabilities = 0;                // effective, a bit for each
  std::uint64_t reachable = 0;                   // that root would have here: the bounding set
  std::optional<int> yama_scope = std::nullopt;  // kernel.yama.ptrace_scope; none: no Yama
  bool seccomp_filter = false;                   // some system calls may be closed to us
  bool own_user_namespace = false;               // not the machine's: rights count only inside
  bool own_pid_namespace = false;                // not the machine's: others are not to be seen
  Container container = {};
  std::string program = "flametap";  // our own file

  [[nodiscard]] bool has(int capability) const { return (capabilities >> capability & 1) != 0; }
  [[nodiscard]] bool in_container() const { return container.kind != ContainerKind::none; }
};

[[nodiscard]] Surroundings look_around();

// "alice", or "uid 1234" where nobody has a name for it.
[[nodiscard]] std::string user_name(uid_t uid);

}  // namespace flametap::target

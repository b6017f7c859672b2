#include "target/surroundings.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "target/proc_file.h"

namespace flametap::target {
namespace {

constexpr std::size_t kMaxText = 1 << 20;

// The kernel gives the machine's own namespaces fixed numbers.
constexpr ino_t kMachineUserNamespace = 0xeffffffd;

template <typename T>
std::optional<T> parse_whole(std::string_view text, int base) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t capabilities(std::string_view status, std::string_view key) {
  return parse_whole<std::uint64_t>(find_field(status, key).value_or(""), 16).value_or(0);
}

bool exists(const char* path) { return ::access(path, F_OK) == 0; }

std::string text_of(const char* path) {
  const Result<std::string> text = read_proc_file(path, kMaxText);
  return text ? *text : "";
}

bool is_own_namespace(const char* path, ino_t machines) {
  struct stat status {};
  return ::stat(path, &status) == 0 && status.st_ino != machines;
}

std::string own_file() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "flametap";
}

struct Word {
  std::string_view text;
  ContainerKind kind;
};

// How runtimes call themselves in `container=NAME`.
constexpr std::array kNames{Word{"docker", ContainerKind::docker}, Word{"podman", ContainerKind::podman},
                            Word{"lxc", ContainerKind::lxc}, Word{"lxc-libvirt", ContainerKind::lxc},
                            Word{"systemd-nspawn", ContainerKind::nspawn}};

// What their cgroups are called. A pod's is made by containerd or another, so that it comes first; docker.service, on
// the machine itself, is none.
constexpr std::array kCgroups{Word{"kubepods", ContainerKind::kubernetes},
                              Word{"/docker/", ContainerKind::docker},
                              Word{"/docker-", ContainerKind::docker},
                              Word{"libpod-", ContainerKind::podman},
                              Word{"/lxc/", ContainerKind::lxc},
                              Word{"/lxc.payload", ContainerKind::lxc},
                              Word{"cri-containerd", ContainerKind::kubernetes},
                              Word{"nerdctl-", ContainerKind::containerd}};

ContainerKind kind_called(std::string_view name) {
  const auto known = std::ranges::find(kNames, name, &Word::text);
  return known != kNames.end() ? known->kind : ContainerKind::other;
}

// The value of a variable in "A=b\0C=d\0".
std::string_view variable(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) return entry.substr(name.size() + 1);
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return {};
}

ContainerMarks look_for_marks() {
  ContainerMarks marks;
  marks.docker_file = exists("/.dockerenv");
  marks.podman_file = exists("/run/.containerenv");
  marks.kubernetes_variable = std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
  marks.systemd_name = text_of("/run/systemd/container");
  marks.first_environment = text_of("/proc/1/environ");
  marks.cgroup = text_of("/proc/self/cgroup");
  return marks;
}

}  // namespace

Container tell_container(const ContainerMarks& marks) {
  if (marks.kubernetes_variable) return {ContainerKind::kubernetes, "KUBERNETES_SERVICE_HOST"};
  if (marks.podman_file) return {ContainerKind::podman, "/run/.containerenv"};
  if (marks.docker_file) return {ContainerKind::docker, "/.dockerenv"};
  std::string_view systemd_name = marks.systemd_name;
  while (systemd_name.ends_with('\n')) systemd_name.remove_suffix(1);
  if (!systemd_name.empty()) return {kind_called(systemd_name), "/run/systemd/container"};
  if (const auto name = variable(marks.first_environment, "container"); !name.empty()) {
    return {kind_called(name), "container= of process 1"};
  }
  for (const Word& word : kCgroups) {
    if (marks.cgroup.find(word.text) != std::string::npos) return {word.kind, "the cgroup"};
  }
  return {};
}

std::string to_string(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::none:
      return "none seen";
    case ContainerKind::docker:
      return "docker";
    case ContainerKind::podman:
      return "podman";
    case ContainerKind::kubernetes:
      return "Kubernetes";
    case ContainerKind::containerd:
      return "containerd";
    case ContainerKind::lxc:
      return "LXC";
    case ContainerKind::nspawn:
      return "systemd-nspawn";
    case ContainerKind::other:
      return "some container";
  }
  return "";
}

Surroundings look_around() {
  Surroundings us;
  us.user = ::geteuid();
  const std::string status = text_of("/proc/self/status");
  us.capabilities = capabilities(status, "CapEff");
  us.reachable = capabilities(status, "CapBnd");
  us.seccomp_filter = find_field(status, "Seccomp").value_or("0") != "0";
  us.yama_scope = parse_whole<int>(text_of("/proc/sys/kernel/yama/ptrace_scope"), 10);
  us.own_user_namespace = is_own_namespace("/proc/self/ns/user", kMachineUserNamespace);
  us.own_pid_namespace = is_own_namespace("/proc/self/ns/pid", kMachinePidNamespace);
  us.container = tell_container(look_for_marks());
  us.program = own_file();
  return us;
}

std::string user_name(uid_t uid) {
  const passwd* const entry = ::getpwuid(uid);
  return entry != nullptr ? entry->pw_name : "uid " + std::to_string(uid);
}

}  // namespace flametap::target

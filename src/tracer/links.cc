#include "tracer/links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

namespace flametap::tracer {
namespace {

// As the kernel has it from 6.6 on; the headers and the libbpf of Debian 12 are older.
constexpr auto kAllPlaces = static_cast<bpf_attach_type>(48);  // BPF_TRACE_UPROBE_MULTI
struct LinkCreate {
  std::uint32_t program = 0;
  std::uint32_t target = 0;
  std::uint32_t attach_type = kAllPlaces;
  std::uint32_t flags = 0;
  std::uint64_t path = 0;
  std::uint64_t offsets = 0;
  std::uint64_t semaphore_offsets = 0;
  std::uint64_t cookies = 0;
  std::uint32_t count = 0;
  std::uint32_t more_flags = 0;
  std::uint32_t pid = 0;
  std::uint32_t reserved = 0;
};

std::uint64_t to_address(const void* what) { return reinterpret_cast<std::uintptr_t>(what); }

}  // namespace

LinkKind best_link_kind() {
  utsname kernel{};
  if (uname(&kernel) != 0) return LinkKind::for_each_place;
  const std::string_view release = kernel.release;
  const char* const end = release.data() + release.size();
  int major = 0;
  int minor = 0;
  const auto [dot, error] = std::from_chars(release.data(), end, major);
  if (error != std::errc() || dot == end || std::from_chars(dot + 1, end, minor).ec != std::errc())
    return LinkKind::for_each_place;
  return std::pair(major, minor) >= std::pair(6, 10) ? LinkKind::for_all_places : LinkKind::for_each_place;
}

void Links::Destroy::operator()(bpf_link* link) const { bpf_link__destroy(link); }

void Links::prepare(bpf_program& program) const {
  if (kind_ == LinkKind::for_all_places) bpf_program__set_expected_attach_type(&program, kAllPlaces);
}

int Links::attach(const bpf_program& program, const std::string& file, std::span<const Place> places,
                  std::optional<pid_t> pid) {
  if (kind_ == LinkKind::for_all_places) return attach_together(program, file, places, pid);
  const std::size_t before = links_.size();
  for (const Place& place : places) {
    const int failed = attach_alone(program, file, place, pid);
    if (failed == 0) continue;
    links_.resize(before);
    return failed;
  }
  return 0;
}

int Links::attach(const bpf_program& program) { return keep(bpf_program__attach(&program)); }

int Links::attach_alone(const bpf_program& program, const std::string& file, const Place& place,
                        std::optional<pid_t> pid) {
  bpf_uprobe_opts options{};
  options.sz = sizeof options;
  options.ref_ctr_offset = place.semaphore_offset;
  options.bpf_cookie = place.cookie;
  return keep(bpf_program__attach_uprobe_opts(&program, pid.value_or(-1), file.c_str(), place.offset, &options));
}

int Links::attach_together(const bpf_program& program, const std::string& file, std::span<const Place> places,
                           std::optional<pid_t> pid) {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> semaphores;
  std::vector<std::uint64_t> cookies;
  for (const Place& place : places) {
    offsets.push_back(place.offset);
    semaphores.push_back(place.semaphore_offset);
    cookies.push_back(place.cookie);
  }
  LinkCreate request;
  request.program = static_cast<std::uint32_t>(bpf_program__fd(&program));
  request.path = to_address(file.c_str());
  request.offsets = to_address(offsets.data());
  request.semaphore_offsets = to_address(semaphores.data());
  request.cookies = to_address(cookies.data());
  request.count = static_cast<std::uint32_t>(places.size());
  request.pid = static_cast<std::uint32_t>(pid.value_or(0));
  Fd link(static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof request)));
  if (!link) return errno;
  links_.emplace_back(std::move(link));
  return 0;
}

int Links::keep(bpf_link* link) {
  if (link == nullptr) return errno;
  links_.emplace_back(Library(link));
  return 0;
}

void Links::close() {
  while (!links_.empty()) links_.pop_back();
}

}  // namespace flametap::tracer

#include "tracer/probes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
// Generated from bpf/markers.bpf.c; it uses a word of C that is none of C++.
#define _Bool bool
#include <bpf/markers.skel.h>
#undef _Bool

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "target/kernel_programs.h"
#include "tracer/marker_arguments.h"

namespace flametap::tracer {
namespace {

struct ProgramOf {
  Probes::Probe probe;
  std::string_view marker;
  std::string_view program;
};

constexpr std::array kPrograms = {
    ProgramOf{Probes::Probe::call, "function__entry", "on_call"},
    ProgramOf{Probes::Probe::call_end, "function__return", "on_call_end"},
    ProgramOf{Probes::Probe::line, "line", "on_line"},
    ProgramOf{Probes::Probe::gc_start, "gc__start", "on_gc_start"},
    ProgramOf{Probes::Probe::gc_done, "gc__done", "on_gc_done"},
    ProgramOf{Probes::Probe::import_start, "import__find__load__start", "on_import_start"},
    ProgramOf{Probes::Probe::import_done, "import__find__load__done", "on_import_done"},
    ProgramOf{Probes::Probe::audit, "audit", "on_audit"},
    ProgramOf{Probes::Probe::count_calls, "function__entry", "count_call"},
    ProgramOf{Probes::Probe::count_call_ends, "function__return", "count_call_end"},
};

const ProgramOf& program_of(Probes::Probe probe) { return *std::ranges::find(kPrograms, probe, &ProgramOf::probe); }

// Never executed and never read: the padding of the identification at the start of every ELF file. A breakpoint there
// disturbs nobody, and needs no search for an instruction that nobody runs.
constexpr std::size_t kUnusedOffset = 9;

// So many records are read at once; then somebody else gets a turn.
constexpr std::size_t kManyRecords = 200'000;

// On a machine with many Pythons there are tens of thousands, and a system call for each would take longer than an
// interval.
constexpr std::uint32_t kCountsAtOnce = 4096;

Error load_error(int number) {
  if (number == EPERM || number == EACCES) {
    return {Failure::not_permitted, "the kernel does not let us load eBPF programs (CAP_SYS_ADMIN is needed)",
            "run it as root: sudo flametap trace ..."};
  }
  Error error = errno_error("the kernel does not take our eBPF programs", number);
  error.remedy =
      "Linux 5.17 or later with CONFIG_BPF_SYSCALL, CONFIG_UPROBE_EVENTS and CONFIG_DEBUG_INFO_BTF is needed";
  return error;
}

Error attach_error(const std::string& what, const MarkedFile& file, int number) {
  Error error = errno_error("cannot attach to the marker " + what + " of " + file.path, number);
  if (number == EPERM || number == EACCES) {
    error.kind = Failure::not_permitted;
    error.remedy = "run it as root: sudo flametap trace ...";
  } else if (number == ESRCH) {
    error.kind = Failure::no_such_process;
  }
  return error;
}

}  // namespace

class Probes::Programs {
 public:
  Programs(markers_bpf* skeleton, LinkKind kind) : links(kind), skeleton_(skeleton) {}
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs() {
    links.close();
    ring_buffer__free(ring_);
    markers_bpf__destroy(skeleton_);
  }

  static int take_record(void* self, void* data, std::size_t size) {
    auto* const programs = static_cast<Programs*>(self);
    programs->take(programs->context, {static_cast<const std::byte*>(data), size});
    return ++programs->taken < kManyRecords ? 0 : -EAGAIN;
  }

  [[nodiscard]] bpf_program* program(std::string_view name) const {
    return bpf_object__find_program_by_name(skeleton_->obj, std::string(name).c_str());
  }
  [[nodiscard]] markers_bpf& skeleton() const { return *skeleton_; }

  // Whether the ring buffer could be opened.
  bool open_ring() {
    ring_ = ring_buffer__new(bpf_map__fd(skeleton_->maps.records), take_record, this, nullptr);
    return ring_ != nullptr;
  }
  [[nodiscard]] ring_buffer* ring() const { return ring_; }

  // The number under which the programs in the kernel find a marker's arguments; nothing if there is no room.
  std::optional<std::uint32_t> number_of(const flametap_marker& marker) {
    const auto known = std::ranges::find_if(
        markers_, [&](const flametap_marker& each) { return std::memcmp(&each, &marker, sizeof marker) == 0; });
    const auto number = static_cast<std::uint32_t>(known - markers_.begin());
    if (known != markers_.end()) return number;
    if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.markers), &number, &marker, BPF_ANY) != 0) return std::nullopt;
    markers_.push_back(marker);
    return number;
  }

  Links links;
  std::size_t taken = 0;      // by the current call
  TakeRecord take = nullptr;  // while records are read
  void* context = nullptr;

 private:
  markers_bpf* skeleton_;
  ring_buffer* ring_ = nullptr;
  std::vector<flametap_marker> markers_;  // as the kernel has them
};

Probes::Probes(std::unique_ptr<Programs> programs) : programs_(std::move(programs)) {}
Probes::Probes(Probes&&) noexcept = default;
Probes& Probes::operator=(Probes&&) noexcept = default;
Probes::~Probes() = default;

std::string_view Probes::marker_of(Probe probe) { return program_of(probe).marker; }

namespace {

void configure(markers_bpf& skeleton, const Probes::Options& options) {
  bpf_map__set_max_entries(skeleton.maps.records, static_cast<std::uint32_t>(options.buffer_bytes));
  auto& settings = *skeleton.rodata;
  settings.send_calls = options.send_calls;
  settings.judge_functions = options.judge_functions;
  settings.judge_files = options.judge_files;
  settings.judge_threads = options.judge_threads;
  if (!options.within.empty()) {
    const std::size_t size = std::min(options.within.size(), sizeof settings.within - 1);
    std::memcpy(const_cast<char*>(settings.within), options.within.data(), size);
    settings.within_size = static_cast<std::uint32_t>(options.within.size() + 1);
  }
  const target::PidNamespace space = target::our_pid_namespace();
  settings.namespace_device = space.device;
  settings.namespace_inode = space.inode;
}

}  // namespace

Result<Probes> Probes::load(const Options& options, std::span<const Probe> wanted) {
  // One that fills its field could not be told from a longer one.
  if (options.within.size() + 1 >= FLAMETAP_KEY_NAME)
    return Error{Failure::usage, "the name of the function to look inside is too long", ""};
  target::silence_libbpf();
  errno = 0;
  markers_bpf* const skeleton = markers_bpf__open();
  if (skeleton == nullptr) return load_error(errno);
  Probes probes(std::make_unique<Programs>(skeleton, options.links));
  configure(*skeleton, options);
  for (const ProgramOf& each : kPrograms) {
    bpf_program* const program = probes.programs_->program(each.program);
    bpf_program__set_autoload(program, std::ranges::count(wanted, each.probe) != 0);
    probes.programs_->links.prepare(*program);
  }
  if (const int failed = markers_bpf__load(skeleton); failed != 0) return load_error(-failed);
  if (!probes.programs_->open_ring()) return load_error(errno);
  for (const bpf_program* const program : {skeleton->progs.on_thread_exit, skeleton->progs.on_exec}) {
    if (const int failed = probes.programs_->links.attach(*program)) return load_error(failed);
  }
  return probes;
}

Result<void> Probes::attach(Probe probe, const MarkedFile& file, std::optional<pid_t> pid) {
  const ProgramOf& what = program_of(probe);
  std::vector<Links::Place> places;
  for (const Marker& marker : file.markers) {
    if (marker.name != what.marker) continue;
    const auto arguments = parse_arguments(marker.arguments);
    if (!arguments) return arguments.error().within("cannot use the marker " + marker.name + " of " + file.path);
    const auto number = programs_->number_of(*arguments);
    if (!number) return attach_error(marker.name, file, ENOSPC);
    places.push_back({marker.offset, marker.semaphore_offset, *number});
  }
  if (places.empty()) return attach_error(std::string(what.marker), file, ENOENT);
  const int failed = programs_->links.attach(*programs_->program(what.program), file.open_path, places, pid);
  if (failed != 0) return attach_error(std::string(what.marker), file, failed);
  return {};
}

Result<void> Probes::arm(const Marker& marker, const MarkedFile& file, std::optional<pid_t> pid) {
  const Links::Place place{kUnusedOffset, marker.semaphore_offset, 0};
  const int failed = programs_->links.attach_alone(*programs_->skeleton().progs.nothing, file.open_path, place, pid);
  if (failed != 0) return attach_error(marker.name, file, failed);
  return {};
}

void Probes::begin() { __atomic_store_n(&programs_->skeleton().bss->watching, std::uint8_t{1}, __ATOMIC_RELEASE); }

void Probes::detach() {
  __atomic_store_n(&programs_->skeleton().bss->watching, std::uint8_t{0}, __ATOMIC_RELEASE);
  programs_->links.close();
}

std::size_t Probes::read_records(TakeRecord take, void* context) {
  programs_->take = take;
  programs_->context = context;
  programs_->taken = 0;
  ring_buffer__consume(programs_->ring());
  return programs_->taken;
}

void Probes::judge(const flametap_function& function, bool show) {
  const std::uint8_t verdict = show ? FLAMETAP_SHOW : FLAMETAP_HIDE;
  bpf_map_update_elem(bpf_map__fd(programs_->skeleton().maps.functions), &function, &verdict, BPF_ANY);
}

void Probes::judge(const flametap_name& function, bool show) {
  const std::uint8_t verdict = show ? FLAMETAP_SHOW : FLAMETAP_HIDE;
  bpf_map_update_elem(bpf_map__fd(programs_->skeleton().maps.names), &function, &verdict, BPF_ANY);
}

void Probes::judge(const flametap_thread_key& thread, bool show) {
  const std::uint8_t verdict = show ? FLAMETAP_SHOW : FLAMETAP_HIDE;
  bpf_map_update_elem(bpf_map__fd(programs_->skeleton().maps.threads), &thread, &verdict, BPF_ANY);
}

void Probes::teach(pid_t pid, const flametap_python_layout& layout) {
  const auto key = static_cast<std::uint32_t>(pid);
  bpf_map_update_elem(bpf_map__fd(programs_->skeleton().maps.pythons), &key, &layout, BPF_ANY);
}

void Probes::unteach(pid_t pid) {
  const auto key = static_cast<std::uint32_t>(pid);
  bpf_map_delete_elem(bpf_map__fd(programs_->skeleton().maps.pythons), &key);
}

std::vector<Probes::Count> Probes::counts() const {
  const int map = bpf_map__fd(programs_->skeleton().maps.counts);
  std::vector<flametap_counted> keys(kCountsAtOnce);
  std::vector<std::uint64_t> calls(kCountsAtOnce);
  std::vector<Count> all;
  std::uint32_t place = 0;  // in the table, as the kernel tells it
  for (void* from = nullptr;; from = &place) {
    std::uint32_t count = kCountsAtOnce;
    const int failed = bpf_map_lookup_batch(map, from, &place, keys.data(), calls.data(), &count, nullptr);
    if (failed != 0 && failed != -ENOENT) return all;  // of other errors the kernel does not set `count`
    for (std::uint32_t i = 0; i < count; ++i) all.push_back({keys[i], calls[i]});
    if (failed != 0) return all;  // these were the last ones
  }
}

void Probes::forget(const flametap_counted& what) {
  bpf_map_delete_elem(bpf_map__fd(programs_->skeleton().maps.counts), &what);
}

std::uint64_t Probes::lost() const {
  // Written by the kernel at any time.
  return __atomic_load_n(&programs_->skeleton().bss->lost, __ATOMIC_RELAXED);
}

}  // namespace flametap::tracer

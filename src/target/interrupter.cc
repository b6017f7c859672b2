#include "target/interrupter.h"

#include <bpf/bpf.h>
#include <bpf/interrupt.skel.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bpf/interrupt.h"
#include "target/kernel_programs.h"

namespace flametap::target {
namespace {

constexpr std::size_t kPieceSize = FLAMETAP_PIECE_LIMIT / 2;

Error load_error(int error_number) {
  return errno_error("the kernel does not take the program that reads in an interrupt", error_number);
}

// The only value of a map, shared with the kernel; null if it cannot be had.
template <typename T>
T* share(const bpf_map* map) {
  void* const shared = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
  return shared == MAP_FAILED ? nullptr : static_cast<T*>(shared);
}

}  // namespace

struct Interrupter::Programs {
  explicit Programs(interrupt_bpf* loaded) : skeleton(loaded) {}
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs() {
    if (question != nullptr) munmap(question, sizeof *question);
    if (copy != nullptr) munmap(copy, sizeof *copy);
    interrupt_bpf__destroy(skeleton);
  }

  interrupt_bpf* skeleton;
  flametap_question* question = nullptr;
  flametap_copy* copy = nullptr;
};

Interrupter::Interrupter(std::unique_ptr<Programs> programs) : programs_(std::move(programs)) {}
Interrupter::~Interrupter() = default;

Result<std::unique_ptr<Interrupter>> Interrupter::load() {
  silence_libbpf();
  errno = 0;
  interrupt_bpf* const skeleton = interrupt_bpf__open();
  if (skeleton == nullptr) return load_error(errno);
  auto programs = std::make_unique<Programs>(skeleton);
  const PidNamespace space = our_pid_namespace();
  skeleton->rodata->namespace_device = space.device;
  skeleton->rodata->namespace_inode = space.inode;
  if (const int failed = interrupt_bpf__load(skeleton); failed != 0) return load_error(-failed);
  programs->question = share<flametap_question>(skeleton->maps.question);
  programs->copy = share<flametap_copy>(skeleton->maps.copy);
  if (programs->question == nullptr || programs->copy == nullptr) return load_error(errno);
  return std::unique_ptr<Interrupter>(new Interrupter(std::move(programs)));
}

ReadResult Interrupter::read(int cpu, pid_t tid, std::span<const Segment> segments) {
  flametap_question& question = *programs_->question;
  if (!ask(segments)) return {ReadStatus::unmapped, 0};
  question.tid = static_cast<std::uint32_t>(tid);
  ++question.asked;
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.flags = BPF_F_TEST_RUN_ON_CPU;
  options.cpu = static_cast<std::uint32_t>(cpu);
  const int failed = bpf_prog_test_run_opts(bpf_program__fd(programs_->skeleton->progs.on_interrupt), &options);
  if (failed != 0 || question.answered != question.asked) return {ReadStatus::elsewhere, 0};
  const std::size_t filled = fetch(segments);
  return {filled == segments.size() ? ReadStatus::ok : ReadStatus::unmapped, filled};
}

// False: it is too much.
bool Interrupter::ask(std::span<const Segment> segments) {
  flametap_question& question = *programs_->question;
  std::size_t pieces = 0;
  std::size_t at = 0;
  for (const Segment& segment : segments) {
    for (std::size_t done = 0; done < segment.to.size();) {
      const std::size_t size = std::min(kPieceSize, segment.to.size() - done);
      if (pieces == FLAMETAP_PIECES || at + size > FLAMETAP_COPY_LIMIT) return false;
      question.pieces[pieces++] = {to_number(segment.from + done), static_cast<std::uint32_t>(size),
                                   static_cast<std::uint32_t>(at)};
      at += size;
      done += size;
    }
  }
  question.count = static_cast<std::uint32_t>(pieces);
  return true;
}

// How many segments were filled whole.
std::size_t Interrupter::fetch(std::span<const Segment> segments) const {
  const flametap_question& question = *programs_->question;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < std::min(question.copied, question.count); ++i) copied += question.pieces[i].size;
  std::size_t filled = 0;
  std::size_t at = 0;
  for (const Segment& segment : segments) {
    if (at + segment.to.size() > copied) break;
    std::memcpy(segment.to.data(), programs_->copy->bytes + at, segment.to.size());
    at += segment.to.size();
    ++filled;
  }
  return filled;
}

}  // namespace flametap::target

#include "target/interrupter.h"

#include <bpf/bpf.h>
#include <bpf/interrupt.skel.h>
#include <bpf/libbpf.h>
#include <sched.h>
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

// 0, or why not, as a negative errno.
int run_on(const interrupt_bpf& skeleton, int cpu) {
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.flags = BPF_F_TEST_RUN_ON_CPU;
  options.cpu = static_cast<std::uint32_t>(cpu);
  return bpf_prog_test_run_opts(bpf_program__fd(skeleton.progs.on_interrupt), &options);
}

}  // namespace

struct Interrupter::Programs {
  explicit Programs(interrupt_bpf* loaded) : skeleton(loaded) {}
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;
  ~Programs() {
    if (question != nullptr) munmap(question, sizeof *question);
    if (copy != nullptr) munmap(copy, sizeof *copy);
    if (followed != nullptr) munmap(followed, sizeof *followed);
    interrupt_bpf__destroy(skeleton);
  }

  interrupt_bpf* skeleton;
  flametap_question* question = nullptr;
  flametap_copy* copy = nullptr;
  flametap_followed* followed = nullptr;
};

// Before Linux 6.0 a map has no larger values than kmalloc would give.
constexpr std::size_t kLargestValue = std::size_t{4} << 20;
static_assert(sizeof(flametap_question) <= kLargestValue && sizeof(flametap_copy) <= kLargestValue &&
              sizeof(flametap_followed) <= kLargestValue);
static_assert(FLAMETAP_PAGE == kPage && std::tuple_size_v<decltype(Trail::texts)> == FLAMETAP_TRAIL_TEXTS);
static_assert(Trail::kMostSteps == FLAMETAP_TRAIL_STEPS && Trail::kMostMarks == FLAMETAP_TRAIL_MARKS &&
              Trail::kObjectSize == FLAMETAP_TRAIL_OBJECT && Trail::kTextSize == FLAMETAP_TRAIL_TEXT &&
              Trail::kTableSize == FLAMETAP_TRAIL_TABLE && Trail::kHomeSize == FLAMETAP_TRAIL_HOME);

class Interrupter::Followed final : public Memory {
 public:
  explicit Followed(const flametap_followed& answer) : answer_(answer) {}

  using Memory::read;
  [[nodiscard]] ReadResult read(std::span<const Segment> segments) override {
    ReadResult result{ReadStatus::ok, 0};
    for (const Segment& segment : segments) {
      const std::byte* const found = find({to_number(segment.from), segment.to.size()});
      if (found == nullptr) return {ReadStatus::unmapped, result.filled};
      std::memcpy(segment.to.data(), found, segment.to.size());
      ++result.filled;
    }
    return result;
  }

  // How far along the trail lies what was read of it.
  [[nodiscard]] std::size_t steps_used() const { return steps_used_; }
  void forget_steps_used() { steps_used_ = 0; }

 private:
  struct Wanted {
    std::uint64_t from;
    std::uint64_t length;

    // Null: it is not there as a whole.
    [[nodiscard]] const std::byte* in(std::uint64_t start, const void* bytes, std::uint64_t size) const {
      if (start == 0 || from < start || length > size || from - start > size - length) return nullptr;
      return static_cast<const std::byte*>(bytes) + (from - start);
    }
    [[nodiscard]] const std::byte* in(const flametap_trail_step& step) const {
      if (const auto* const found = in(step.frame, step.frame_bytes, step.frame_size)) return found;
      if (step.code == 0) return nullptr;
      if (const auto* const found = in(step.code, step.code_bytes, step.code_size)) return found;
      if (const auto* const found = in(step.table, step.table_bytes, step.table_size)) return found;
      for (std::size_t i = 0; i < FLAMETAP_TRAIL_TEXTS; ++i) {
        if (const auto* const found = in(step.texts[i], step.text_bytes[i], step.text_sizes[i])) return found;
      }
      return nullptr;
    }
  };

  [[nodiscard]] const std::byte* find(const Wanted& wanted) {
    if (const auto* const found = wanted.in(answer_.first_place, answer_.first, answer_.first_size)) return found;
    if (const auto* const found = wanted.in(answer_.around_place, &answer_.around, sizeof answer_.around)) return found;
    if (answer_.count == 0) return nullptr;
    if (const auto* const found = wanted.in(answer_.home, answer_.home_bytes, FLAMETAP_TRAIL_HOME)) return found;
    for (std::size_t i = 0; i < std::min<std::size_t>(answer_.count, FLAMETAP_TRAIL_STEPS); ++i) {
      if (const auto* const found = wanted.in(answer_.steps[i])) {
        steps_used_ = std::max(steps_used_, i + 1);
        return found;
      }
    }
    return nullptr;
  }

  std::size_t steps_used_ = 0;
  const flametap_followed& answer_;
};

Interrupter::Interrupter(std::unique_ptr<Programs> programs)
    : programs_(std::move(programs)), followed_(std::make_unique<Followed>(*programs_->followed)) {}
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
  programs->followed = share<flametap_followed>(skeleton->maps.followed);
  if (programs->question == nullptr || programs->copy == nullptr || programs->followed == nullptr) {
    return load_error(errno);
  }
  // Before Linux 5.10 it is loaded, but not run.
  if (const int failed = run_on(*skeleton, sched_getcpu()); failed != 0) return load_error(-failed);
  return std::unique_ptr<Interrupter>(new Interrupter(std::move(programs)));
}

Memory& Interrupter::followed() { return *followed_; }
std::size_t Interrupter::steps_used() const { return followed_->steps_used(); }

ReadResult Interrupter::read(int cpu, pid_t tid, std::span<const Segment> segments, const Trail* trail) {
  flametap_question& question = *programs_->question;
  programs_->followed->count = 0;
  programs_->followed->first_place = 0;
  programs_->followed->around_place = 0;
  followed_->forget_steps_used();
  ask_to_follow(trail);
  if (!ask(segments)) return {ReadStatus::unmapped, 0};
  question.tid = static_cast<std::uint32_t>(tid);
  ++question.asked;
  if (run_on(*programs_->skeleton, cpu) != 0 || question.answered != question.asked) return {ReadStatus::elsewhere, 0};
  return fetch(segments);
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
                                   static_cast<std::uint32_t>(at), segment.optional ? 1u : 0u, 0};
      at += size;
      done += size;
    }
  }
  question.count = static_cast<std::uint32_t>(pieces);
  return true;
}

void Interrupter::ask_to_follow(const Trail* trail) {
  flametap_trail& asked = programs_->question->trail;
  asked.link = trail != nullptr ? to_number(trail->link) : 0;
  if (trail == nullptr) return;
  asked.steps = static_cast<std::uint32_t>(trail->steps);
  asked.home = trail->home ? to_number(*trail->home) : 0;
  asked.indirect = trail->link_inside ? 1 : 0;
  asked.indirect_offset = trail->link_inside.value_or(0);
  if (trail->steps == 0) return;
  asked.next = trail->next;
  asked.code = trail->code;
  asked.code_mask = trail->code_mask;
  asked.table = trail->table;
  asked.table_length = trail->table_length;
  asked.table_data = trail->table_data;
  asked.text_count = trail->text_count;
  std::ranges::copy(trail->texts, asked.texts);
  std::ranges::fill(asked.known, 0);
  asked.mark_count = trail->mark_count;
  std::ranges::copy(trail->marks, asked.marks);
  for (const Trail::Known& known : trail->known) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < trail->mark_count; ++i) number = flametap_trail_number(number, known.marks[i]);
    asked.known[flametap_trail_place(to_number(known.code))] = number;
  }
}

// The kernel has put zeros where something was missing.
ReadResult Interrupter::fetch(std::span<const Segment> segments) const {
  const flametap_question& question = *programs_->question;
  ReadResult result{ReadStatus::unmapped, 0};
  std::size_t copied = 0;
  for (std::size_t i = 0; i < std::min(question.copied, question.count); ++i) {
    copied += question.pieces[i].size;
    result.missing += question.pieces[i].missing;
  }
  std::size_t at = 0;
  for (const Segment& segment : segments) {
    if (at + segment.to.size() > copied) return result;
    std::memcpy(segment.to.data(), programs_->copy->bytes + at, segment.to.size());
    at += segment.to.size();
    ++result.filled;
  }
  result.status = ReadStatus::ok;
  return result;
}

}  // namespace flametap::target

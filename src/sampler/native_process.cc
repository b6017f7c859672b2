#include "sampler/native_process.h"

#include <algorithm>
#include <utility>

namespace flametap::sampler {
namespace {

using native::UnwindEnd;
using stack::Frame;
using stack::Role;
using target::Address;
using target::to_number;

constexpr Nanoseconds kRefreshInterval = 250'000'000;
constexpr std::size_t kMaxCFrames = 8192;

// Higher than any address: further out than what was copied.
constexpr std::uint64_t kBeyond = ~std::uint64_t{0};

}  // namespace

void show_python(const cpython::StackReader& reader, std::vector<Frame>& frames) {
  frames.clear();
  for (const cpython::CodeFrame& frame : reader.frames()) {
    frames.push_back({stack::FrameKind::python, static_cast<std::uint32_t>(frame.code), frame.line});
  }
}

Result<std::unique_ptr<NativeProcess>> NativeProcess::open(const target::Process& process, target::Memory& memory,
                                                           const cpython::Interpreter& interpreter, bool lines,
                                                           NativeOptions options) {
  auto space = native::AddressSpace::open(process, memory, *options.binaries);
  if (!space) return space.error();
  return std::unique_ptr<NativeProcess>(
      new NativeProcess(process, memory, interpreter, lines, std::move(options), std::move(*space)));
}

NativeProcess::NativeProcess(const target::Process& process, target::Memory& memory,
                             const cpython::Interpreter& interpreter, bool lines, NativeOptions options,
                             native::AddressSpace space)
    : memory_(memory),
      interpreter_(interpreter),
      options_(std::move(options)),
      space_(std::move(space)),
      codes_(process, interpreter, space_, {.lines = lines, .inlines = options_.inlines}),
      next_refresh_(monotonic_now() + kRefreshInterval) {}

void NativeProcess::keep_up() {
  if (monotonic_now() < next_refresh_) return;
  space_.refresh();
  codes_.keep_up();
  next_refresh_ = monotonic_now() + kRefreshInterval;
}

bool NativeProcess::capture(pid_t tid, const target::TaskSyscall* asleep_in) {
  asleep_ = asleep_in != nullptr;
  const native::CaptureStatus status = asleep_in == nullptr ? copy_.capture_stopped(tid, memory_, space_)
                                                            : copy_.capture_sleeping(tid, *asleep_in, memory_, space_);
  return status == native::CaptureStatus::ok;
}

void NativeProcess::unwind() {
  end_ = unwinder_.unwind(copy_, space_, unwound_);
  native_.clear();
  for (const native::Frame& frame : unwound_) {
    const std::uint32_t number = codes_.number_of(frame.pc);
    const NativeCodes::Code& code = codes_[number];
    // Without its name, the function that runs right now may be one that does something.
    const bool shown = native_.empty() && !code.has_name;
    native_.push_back({number, shown ? Role::other : code.role, to_number(frame.begin), to_number(frame.end)});
  }
  keep_running_greenlet();
  guessed_ = std::ranges::any_of(std::span(unwound_).first(native_.size()), &native::Frame::guessed);
  if (end_ == UnwindEnd::complete) fold_beginning();
}

void NativeProcess::keep_running_greenlet() {
  homes_.clear();
  for (const stack::NativeFrame& frame : native_) homes_.push_back(codes_[frame.number].home);
  const GreenletStack greenlet = running_greenlet(homes_);
  switching_ = greenlet.switching;
  if (greenlet.length == native_.size()) return;
  native_.resize(greenlet.length);
  end_ = UnwindEnd::complete;
}

// How a thread begins is machinery also where the C library's local functions have no names.
void NativeProcess::fold_beginning() {
  for (auto frame = native_.rbegin(); frame != native_.rend(); ++frame) {
    const NativeCodes::Code& code = codes_[frame->number];
    const bool begins = !code.has_name && code.home == Home::c_library;
    if (frame->role != Role::machinery && !begins) return;
    frame->role = Role::machinery;
  }
}

// Whether the innermost evaluating function has its frame: it has called something that is neither the interpreter's
// nor the C library's, or it sleeps. When such a function begins or ends it does neither.
bool NativeProcess::is_settled() const {
  if (asleep_) return true;
  for (const stack::NativeFrame& frame : native_) {
    if (frame.role == Role::evaluates) return false;
    if (codes_[frame.number].home == Home::other) return true;
  }
  return false;
}

bool NativeProcess::counts_runs() const {
  return !interpreter_.layout.has_shims() && interpreter_.layout.thread.cframe == cpython::kAbsent;
}

bool NativeProcess::merge(const cpython::StackReader& reader, const Foreign& foreign, std::vector<Frame>& frames) {
  if (switching_) return false;
  show_python(reader, python_);
  const bool anchored = anchor_runs(reader);
  const stack::MergeInput input{.python = python_,
                                .runs = runs_,
                                .native = native_,
                                .native_is_whole = end_ == UnwindEnd::complete,
                                .settled = is_settled(),
                                .anchored = anchored,
                                .shared = foreign.any,
                                .foreign_outside = foreign.outside,
                                .foreign_inside = foreign.inside,
                                .foreign_anchor = foreign.anchor,
                                .show_machinery = options_.full};
  if (!merger_.merge(input, frames)) return false;
  if (merger_.reaches_innermost()) add_system_call(frames);
  return true;
}

bool NativeProcess::show(std::vector<Frame>& frames) const {
  frames.clear();
  bool whole = true;
  for (const stack::NativeFrame& frame : native_) {
    if (frame.role == Role::other || options_.full) frames.push_back({stack::FrameKind::native, frame.number, 0});
    if (frame.role != Role::evaluates) continue;
    frames.push_back({stack::FrameKind::unknown_python, 0, 0});
    whole = false;
  }
  // Nothing but machinery is better than nothing.
  if (frames.empty()) {
    for (const stack::NativeFrame& frame : native_) frames.push_back({stack::FrameKind::native, frame.number, 0});
  }
  add_system_call(frames);
  return whole;
}

// Fills runs_. Says whether each of them has an anchor on the C stack.
bool NativeProcess::anchor_runs(const cpython::StackReader& reader) {
  runs_.clear();
  for (const cpython::Run& run : reader.runs()) runs_.push_back({run.end, to_number(run.anchor)});
  const cpython::Layout& layout = interpreter_.layout;
  if (layout.has_shims()) return true;
  if (layout.thread.cframe == cpython::kAbsent) return false;

  // A CFrame is a variable of the evaluating function, and they are linked, the innermost first. The last one is no
  // variable and lies elsewhere.
  cframes_.clear();
  const native::StackView stack = copy_.stack();
  Address cframe{load<std::uint64_t>(reader.thread_words(), layout.thread.cframe).value_or(0)};
  while (cframes_.size() < kMaxCFrames) {
    const auto previous = stack.word(cframe + layout.cframe.previous);
    if (!previous) break;
    cframes_.push_back(cframe);
    if (*previous <= to_number(cframe)) break;  // further out is higher up
    cframe = Address{*previous};
  }
  if (layout.frame_link == cpython::FrameLink::cframe) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      runs_[i].anchor = i < cframes_.size() ? to_number(cframes_[i]) : kBeyond;
    }
    return true;
  }
  // 3.10: a function links its CFrame and its frame one after the other, so that a call which begins has one CFrame
  // more than frames, and one which ends has one less; then counting must do.
  if (cframes_.size() < runs_.size() || cframes_.size() > runs_.size() + 1) return false;
  const std::size_t more = cframes_.size() - runs_.size();
  for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i].anchor = to_number(cframes_[i + more]);
  return true;
}

void NativeProcess::add_system_call(std::vector<Frame>& frames) const {
  const auto call = copy_.system_call();
  if (!call || *call < 0) return;
  frames.insert(frames.begin(), {stack::FrameKind::kernel, static_cast<std::uint32_t>(*call), 0});
}

}  // namespace flametap::sampler

// Profile: what was recorded, as tables of numbers. Immutable once built, for every writer and query.
//
// Functions, frames and stacks are interned: the same one has the same id. A stack is a node of a tree and names its
// parent, whose id is always smaller, so that a million samples of few stacks cost little and one pass over the ids in
// order (or backwards) is a walk of the tree. Knows nothing of processes or of CPython. Not safe for concurrent
// changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "stack/outcome.h"

namespace flametap::profile {

enum class StringId : std::uint32_t {};
enum class FunctionId : std::uint32_t {};
enum class FrameId : std::uint32_t {};
enum class StackId : std::uint32_t {};
enum class ThreadId : std::uint32_t {};
enum class ProcessId : std::uint32_t {};

inline constexpr StringId kEmptyText{0};  // in every profile, so that a function without a module needs no interning
inline constexpr StackId kEmptyStack{0};  // the root of the tree: no frames

// The numbers stand in files.
enum class FrameKind : std::uint32_t {
  python = 0,
  marker = 1,   // our own word, such as "(truncated)"
  native = 2,   // a function of C, C++, Rust and the like
  inlined = 3,  // the same, compiled into the next outer frame: the two are one place in the program
  kernel = 4,   // a system call in which the thread is, by its name: "read"
};
inline constexpr FrameKind kLastFrameKind = FrameKind::kernel;
inline constexpr std::string_view kKernelModule = "[kernel]";  // file and module of a kernel frame

[[nodiscard]] std::string_view name(FrameKind kind);
[[nodiscard]] std::optional<FrameKind> frame_kind_by_name(std::string_view name);
// Whether it is a function on the C stack, inlined or not.
[[nodiscard]] constexpr bool is_native(FrameKind kind) {
  return kind == FrameKind::native || kind == FrameKind::inlined;
}

// Which samples are in a profile: all; those of threads on a CPU; those with the GIL; nobody knows; those of threads
// that waited for a CPU. The numbers stand in files. (Recordings that do not tell who was ready and who slept with the
// GIL have both in `cpu`.)
enum class Mode : std::uint8_t { wall, cpu, gil, unknown, ready };
inline constexpr Mode kLastMode = Mode::ready;

[[nodiscard]] std::string_view name(Mode mode);
[[nodiscard]] std::optional<Mode> mode_by_name(std::string_view name);

struct Function {
  StringId name;
  StringId file;  // of a native one without a known source: its module
  std::int32_t first_line;
  FrameKind kind;
  StringId module = kEmptyText;  // of a native one: the path of its program or library
  auto operator<=>(const Function&) const = default;
};

struct Frame {
  FunctionId function;
  std::int32_t line;  // 0: unknown or not asked for
  auto operator<=>(const Frame&) const = default;
};

struct Stack {
  StackId parent;  // towards the root
  FrameId frame;
  auto operator<=>(const Stack&) const = default;
};

struct Process {
  std::int32_t pid;
  std::string command;  // the command line, words separated by blanks
  std::string python;   // "3.11.7"
  bool operator==(const Process&) const = default;
};

struct Thread {
  ProcessId process;
  std::uint64_t id;  // the kernel's id as seen from here, 0 if unknown
  std::string name;
  bool operator==(const Thread&) const = default;
};

// `ticks` consecutive ticks at which this thread was in this state with this stack.
struct Sample {
  std::uint64_t time_ns;    // of the first one, since the start of the recording
  std::uint64_t weight_ns;  // the time that they stand for; 0 in all samples: not known, as in a folded file
  ThreadId thread;
  StackId stack;
  std::uint64_t ticks;  // 0: nobody looked, see kNotSampled; in all samples: not known, only their time is
  stack::State state;
  bool operator==(const Sample&) const = default;
};

// How the recording went; in every format that has room for it, and in the summary. All counts are thread samples,
// except the ticks.
struct Quality {
  std::uint64_t ticks = 0;  // at which we sampled
  std::uint64_t missed_ticks =
      0;  // that passed while we were late: a few of them in a row are in the next sample's weight
  std::uint64_t free_running = 0;  // verified, by the step that did it: see stack/outcome.h
  std::uint64_t interrupted = 0;
  std::uint64_t ride_along = 0;
  std::uint64_t paused = 0;
  std::uint64_t torn = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t no_frames = 0;
  std::uint64_t truncated = 0;         // of the verified ones
  std::uint64_t median_sample_ns = 0;  // how long one took; 0: not known
  std::uint64_t slowest_sample_ns = 0;
  std::uint64_t unmerged = 0;          // C stack and Python stack did not fit together: shown as Python only
  std::uint64_t native_truncated = 0;  // the C stack could not be followed to its end: its outermost calls are missing
  std::uint64_t guessed = 0;           // a call on the C stack was found by the frame pointer alone
  std::uint64_t median_stop_ns = 0;    // how long a thread was stopped for its C stack, at the most; 0: not known
  std::map<std::string, std::uint64_t> more;  // further counts of the sampler's own, by name

  [[nodiscard]] std::uint64_t verified() const { return free_running + interrupted + ride_along + paused; }
  bool operator==(const Quality&) const = default;
};

inline constexpr std::string_view kNotSampled = "(not sampled)";  // the marker of time that no sample covers
inline constexpr std::string_view kLostEvents = "lost_events";    // in Quality::more: of a trace

struct Recording {
  std::uint64_t start_unix_ns = 0;
  std::uint64_t duration_ns = 0;
  double rate_hz = 0;  // 0: as fast as possible
  Mode mode = Mode::cpu;
  bool native = false;  // C stacks were asked for; of those recordings that are in it, in one at least
  std::string ended;    // why it ended, for people: "the time was up", "process 7 exited"
  Quality quality;
  bool operator==(const Recording&) const = default;
};

// What a profile keeps of source files, so that none can fill it up.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;    // of one file
inline constexpr std::size_t kMaxSourcesBytes = std::size_t{32} << 20;  // of all of them

class Profile {
 public:
  Profile();

  StringId intern(std::string_view text);
  FunctionId intern(const Function& function);
  FrameId intern(const Frame& frame);
  StackId push(StackId parent, FrameId frame);
  ProcessId add(Process process);
  ThreadId add(Thread thread);
  void add(const Sample& sample);
  // The text of a source file, in UTF-8. False: it is not kept, being too large, or because there is one already.
  bool add_source(StringId path, std::string text);
  // Only before anybody has been told of it.
  void rename(ThreadId id, std::string name) { threads_[static_cast<std::size_t>(id)].name = std::move(name); }

  Recording recording;

  [[nodiscard]] std::string_view text(StringId id) const;
  [[nodiscard]] const Function& function(FunctionId id) const;
  [[nodiscard]] const Frame& frame(FrameId id) const;
  [[nodiscard]] const Stack& stack(StackId id) const;
  [[nodiscard]] const std::vector<Process>& processes() const { return processes_; }
  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
  [[nodiscard]] const std::map<StringId, std::string>& sources() const { return sources_; }  // by path
  [[nodiscard]] std::size_t string_count() const { return strings_.size(); }
  [[nodiscard]] std::size_t function_count() const { return functions_.size(); }
  [[nodiscard]] std::size_t frame_count() const { return frames_.size(); }
  [[nodiscard]] std::size_t stack_count() const { return stacks_.size(); }  // with the empty one

  [[nodiscard]] const Process& process(ProcessId id) const { return processes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Thread& thread(ThreadId id) const { return threads_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::string_view name(FrameId id) const { return text(function(frame(id).function).name); }
  [[nodiscard]] std::string_view file(FrameId id) const { return text(function(frame(id).function).file); }
  [[nodiscard]] FrameKind kind(FrameId id) const { return function(frame(id).function).kind; }

  // The frames of a stack, the root first.
  [[nodiscard]] std::vector<FrameId> frames_of(StackId id) const;

  [[nodiscard]] std::uint64_t total_ticks() const { return total_ticks_; }
  [[nodiscard]] std::uint64_t total_weight_ns() const { return total_weight_ns_; }

 private:
  Interner<std::string, StringId> strings_;
  Interner<Function, FunctionId> functions_;
  Interner<Frame, FrameId> frames_;
  Interner<Stack, StackId> stacks_;
  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::vector<Sample> samples_;
  std::map<StringId, std::string> sources_;
  std::size_t sources_bytes_ = 0;
  std::uint64_t total_ticks_ = 0;
  std::uint64_t total_weight_ns_ = 0;
};

}  // namespace flametap::profile

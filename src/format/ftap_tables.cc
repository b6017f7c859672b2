#include "format/ftap_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "format/limits.h"

namespace flametap::format {
namespace {

// An id that stands for "nobody says": in a settled table, and for what is beyond its end.
template <typename Id>
constexpr Id kUnknown{0xffff'ffff};

template <typename Id>
Id look_up(const std::vector<Id>& settled, std::uint64_t id) {
  return id < settled.size() ? settled[id] : kUnknown<Id>;
}

template <typename Entry>
void make_room(std::vector<Entry>& table, std::size_t size) {
  if (table.size() < size) table.resize(size);
}

std::uint32_t id_of(std::uint64_t value, FtapCursor& cursor) {
  if (value >= 0xffff'ffff) cursor.fail();
  return static_cast<std::uint32_t>(value);
}

// A line or a pid. Below 0 there is none: not known.
std::int32_t small_number(std::uint64_t value, FtapCursor& cursor) {
  const auto number = static_cast<std::int64_t>(value);
  if (number < std::numeric_limits<std::int32_t>::min() || number > std::numeric_limits<std::int32_t>::max()) {
    cursor.fail();
  }
  return static_cast<std::int32_t>(std::max<std::int64_t>(number, 0));
}

profile::Function lost_function(profile::Profile& profile) {
  return {profile.intern(kLost), profile.intern(std::string_view{}), 0, profile::FrameKind::marker};
}

}  // namespace

bool FtapTables::read(FtapSection kind, FtapCursor& cursor) {
  switch (kind) {
    case FtapSection::recording:
      read_recording(cursor);
      break;
    case FtapSection::strings:
      read_strings(cursor);
      break;
    case FtapSection::functions:
      read_functions(cursor);
      break;
    case FtapSection::frames:
      read_frames(cursor);
      break;
    case FtapSection::stacks:
      read_stacks(cursor);
      break;
    case FtapSection::processes:
      read_processes(cursor);
      break;
    case FtapSection::threads:
      read_threads(cursor);
      break;
    case FtapSection::sources:
      read_sources(cursor);
      break;
    case FtapSection::samples:
      break;
  }
  return cursor.ok();
}

// Later ones count: the counts grow.
void FtapTables::read_recording(FtapCursor& cursor) {
  profile::Recording recording;
  recording.start_unix_ns = cursor.take<std::uint64_t>();
  recording.duration_ns = cursor.take<std::uint64_t>();
  recording.rate_hz = cursor.take<double>();
  const auto mode = cursor.take<std::uint8_t>();
  const std::vector<std::string_view> ended = cursor.take_texts(1);
  std::vector<std::uint64_t> counts = cursor.take_column(cursor.take<std::uint32_t>());
  const std::size_t more = cursor.take<std::uint32_t>();
  const std::vector<std::string_view> names = cursor.take_texts(more);
  const std::vector<std::uint64_t> values = cursor.take_column(more);
  if (!cursor.empty()) recording.native = cursor.take<std::uint8_t>() != 0;  // version 1 ends here
  if (!std::isfinite(recording.rate_hz) || recording.rate_hz < 0) cursor.fail();
  if (mode > static_cast<std::uint8_t>(profile::kLastMode)) cursor.fail();
  if (!cursor.ok()) return;
  recording.mode = static_cast<profile::Mode>(mode);
  recording.ended = ended.front();
  profile::Quality& quality = recording.quality;
  const std::array places = {&quality.ticks,
                             &quality.missed_ticks,
                             &quality.free_running,
                             &quality.ride_along,
                             &quality.paused,
                             &quality.torn,
                             &quality.unreadable,
                             &quality.no_frames,
                             &quality.truncated,
                             &quality.median_sample_ns,
                             &quality.slowest_sample_ns,
                             &quality.unmerged,
                             &quality.native_truncated,
                             &quality.guessed,
                             &quality.median_stop_ns,
                             &quality.interrupted};
  counts.resize(places.size());  // an older version knows fewer, a later one may know further ones
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = counts[i];
  for (std::size_t i = 0; i < more; ++i) quality.more[std::string(names[i])] = values[i];
  profile.recording = std::move(recording);
}

FtapTables::Range FtapTables::take_range(FtapCursor& cursor) const {
  const Range range{cursor.take<std::uint32_t>(), cursor.take<std::uint32_t>()};
  if (range.first + range.count > std::min<std::uint64_t>(max_ids_, kUndefined)) cursor.fail();
  return range;
}

void FtapTables::read_strings(FtapCursor& cursor) {
  const Range range = take_range(cursor);
  const std::vector<std::string_view> texts = cursor.take_texts(range.count);
  if (!cursor.ok()) return;
  if (strings_.size() < range.first + range.count) strings_.resize(range.first + range.count, kUndefined);
  for (std::size_t i = 0; i < range.count; ++i) {
    std::uint32_t& place = strings_[range.first + i];
    if (place == kUndefined) place = static_cast<std::uint32_t>(profile.intern(texts[i]));
  }
}

void FtapTables::read_functions(FtapCursor& cursor) {
  const Range range = take_range(cursor);
  const std::vector<std::uint64_t> name = cursor.take_column(range.count);
  const std::vector<std::uint64_t> file = cursor.take_column(range.count);
  const std::vector<std::uint64_t> first_line = cursor.take_column(range.count);
  const std::vector<std::uint64_t> kind = cursor.take_column(range.count);
  const bool has_modules = !cursor.empty();  // version 1 ends here
  const std::vector<std::uint64_t> module =
      has_modules ? cursor.take_column(range.count) : std::vector<std::uint64_t>();
  if (!cursor.ok()) return;
  make_room(functions_, range.first + range.count);
  for (std::size_t i = 0; i < range.count; ++i) {
    Function& place = functions_[range.first + i];
    if (place.name != kUndefined) continue;
    // A kind of a later version would stand in a chunk that is not for us.
    if (kind[i] > static_cast<std::uint64_t>(profile::kLastFrameKind)) cursor.fail();
    Function function{id_of(name[i], cursor), id_of(file[i], cursor), small_number(first_line[i], cursor),
                      static_cast<profile::FrameKind>(kind[i])};
    if (has_modules) function.module = id_of(module[i], cursor);
    if (!cursor.ok()) return;
    place = function;
  }
}

void FtapTables::read_frames(FtapCursor& cursor) {
  const Range range = take_range(cursor);
  const std::vector<std::uint64_t> function = cursor.take_column(range.count);
  const std::vector<std::uint64_t> line = cursor.take_column(range.count);
  if (!cursor.ok()) return;
  make_room(frames_, range.first + range.count);
  for (std::size_t i = 0; i < range.count; ++i) {
    Frame& place = frames_[range.first + i];
    if (place.function != kUndefined) continue;
    const Frame frame{id_of(function[i], cursor), small_number(line[i], cursor)};
    if (!cursor.ok()) return;
    place = frame;
  }
}

void FtapTables::read_stacks(FtapCursor& cursor) {
  const Range range = take_range(cursor);
  const std::vector<std::uint64_t> distance = cursor.take_column(range.count);
  const std::vector<std::uint64_t> frame = cursor.take_column(range.count);
  if (!cursor.ok()) return;
  make_room(stacks_, range.first + range.count);
  for (std::size_t i = 0; i < range.count; ++i) {
    const std::size_t id = range.first + i;
    Stack& place = stacks_[id];
    if (place.frame != kUndefined) continue;
    if (distance[i] == 0 || distance[i] > id) cursor.fail();  // a parent has a smaller number: there is no cycle
    const Stack stack{static_cast<std::uint32_t>(id - distance[i]), id_of(frame[i], cursor)};
    if (!cursor.ok()) return;
    place = stack;
  }
}

void FtapTables::read_processes(FtapCursor& cursor) {
  const Range range = take_range(cursor);
  const std::vector<std::uint64_t> pid = cursor.take_column(range.count);
  const std::vector<std::string_view> command = cursor.take_texts(range.count);
  const std::vector<std::string_view> python = cursor.take_texts(range.count);
  if (!cursor.ok()) return;
  make_room(processes_, range.first + range.count);
  for (std::size_t i = 0; i < range.count; ++i) {
    std::optional<profile::Process>& place = processes_[range.first + i];
    const std::int32_t number = small_number(pid[i], cursor);
    if (!cursor.ok()) return;
    if (!place) place = profile::Process{number, std::string(command[i]), std::string(python[i])};
  }
}

void FtapTables::read_threads(FtapCursor& cursor) {
  const Range range = take_range(cursor);
  const std::vector<std::uint64_t> process = cursor.take_column(range.count);
  const std::vector<std::uint64_t> id = cursor.take_column(range.count);
  const std::vector<std::string_view> name = cursor.take_texts(range.count);
  if (!cursor.ok()) return;
  make_room(threads_, range.first + range.count);
  for (std::size_t i = 0; i < range.count; ++i) {
    std::optional<Thread>& place = threads_[range.first + i];
    const std::uint32_t owner = id_of(process[i], cursor);
    if (!cursor.ok()) return;
    if (!place) place = Thread{owner, id[i], std::string(name[i])};
  }
}

// The first one of a path counts; what is too large is left out.
void FtapTables::read_sources(FtapCursor& cursor) {
  const std::size_t count = cursor.take<std::uint32_t>();
  const std::vector<std::string_view> paths = cursor.take_texts(count);
  const std::vector<std::string_view> texts = cursor.take_texts(count);
  if (!cursor.ok()) return;
  for (std::size_t i = 0; i < count; ++i) profile.add_source(profile.intern(paths[i]), std::string(texts[i]));
}

void FtapTables::settle() {
  settle_stacks(settle_frames(settle_functions()));
  settle_threads();
}

// Name, file and module are one thing: a function of which one is missing is not known.
std::vector<profile::FunctionId> FtapTables::settle_functions() {
  std::vector<profile::FunctionId> settled;
  settled.reserve(functions_.size());
  for (const Function& function : functions_) {
    const auto text = [&](std::uint32_t id) { return id < strings_.size() ? strings_[id] : kUndefined; };
    const std::uint32_t name = text(function.name);
    const std::uint32_t file = text(function.file);
    const std::uint32_t module = function.module ? text(*function.module) : std::uint32_t(profile::kEmptyText);
    const bool known = name != kUndefined && file != kUndefined && module != kUndefined;
    settled.push_back(
        known ? profile.intern(profile::Function{profile::StringId{name}, profile::StringId{file}, function.first_line,
                                                 function.kind, profile::StringId{module}})
              : kUnknown<profile::FunctionId>);
  }
  return settled;
}

std::vector<profile::FrameId> FtapTables::settle_frames(const std::vector<profile::FunctionId>& functions) {
  std::vector<profile::FrameId> settled;
  settled.reserve(frames_.size());
  for (const Frame& frame : frames_) {
    const profile::FunctionId function = look_up(functions, frame.function);
    const bool known = function != kUnknown<profile::FunctionId>;
    settled.push_back(known ? profile.intern(profile::Frame{function, frame.line}) : kUnknown<profile::FrameId>);
  }
  return settled;
}

// A stack that no chunk defines, or that is deeper than any, is `(lost)`; one whose parent is lost stands on that.
void FtapTables::settle_stacks(const std::vector<profile::FrameId>& frames) {
  std::vector<std::uint32_t> depths{0};
  depths.reserve(stacks_.size());
  settled_stacks_.assign(1, {profile::kEmptyStack, false});
  settled_stacks_.reserve(stacks_.size());
  std::optional<profile::FrameId> lost_frame;
  const auto lost = [&] {
    if (!lost_frame) {
      lost_frame = profile.intern(profile::Frame{profile.intern(lost_function(profile)), 0});
    }
    return *lost_frame;
  };
  for (std::size_t id = 1; id < stacks_.size(); ++id) {
    const Stack& stack = stacks_[id];
    const bool defined = stack.frame != kUndefined && depths[stack.parent] < kMaxStackDepth;
    if (!defined) {
      depths.push_back(1);
      settled_stacks_.push_back({kUnknown<profile::StackId>, true});
      continue;
    }
    StackRef parent = settled_stacks_[stack.parent];
    if (parent.id == kUnknown<profile::StackId>) parent.id = profile.push(profile::kEmptyStack, lost());
    const profile::FrameId frame = look_up(frames, stack.frame);
    const bool known = frame != kUnknown<profile::FrameId>;
    settled_stacks_.push_back({profile.push(parent.id, known ? frame : lost()), parent.lost || !known});
    depths.push_back(depths[stack.parent] + 1);
  }
}

void FtapTables::settle_threads() {
  std::vector<profile::ProcessId> processes;
  for (std::optional<profile::Process>& process : processes_) {
    processes.push_back(process ? profile.add(std::move(*process)) : kUnknown<profile::ProcessId>);
  }
  std::optional<profile::ProcessId> lost;
  for (std::optional<Thread>& thread : threads_) {
    if (!thread) {
      settled_threads_.emplace_back();
      continue;
    }
    profile::ProcessId process = look_up(processes, thread->process);
    if (process == kUnknown<profile::ProcessId>) {
      if (!lost) lost = profile.add(profile::Process{0, std::string(kLost), ""});
      process = *lost;
    }
    settled_threads_.emplace_back(profile.add(profile::Thread{process, thread->id, std::move(thread->name)}));
  }
}

FtapTables::StackRef FtapTables::stack(std::uint64_t id) {
  StackRef stack = id < settled_stacks_.size() ? settled_stacks_[id] : StackRef{kUnknown<profile::StackId>, true};
  if (stack.id == kUnknown<profile::StackId>) {
    const profile::FunctionId function = profile.intern(lost_function(profile));
    stack.id = profile.push(profile::kEmptyStack, profile.intern(profile::Frame{function, 0}));
  }
  return stack;
}

profile::ThreadId FtapTables::thread(std::uint64_t id) {
  if (id < settled_threads_.size() && settled_threads_[id]) return *settled_threads_[id];
  if (!lost_thread_) {
    const profile::ProcessId process = profile.add(profile::Process{0, std::string(kLost), ""});
    lost_thread_ = profile.add(profile::Thread{process, 0, std::string(kLost)});
  }
  return *lost_thread_;
}

}  // namespace flametap::format

#include "format/ftap_encoder.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "format/ftap_bytes.h"

namespace flametap::format {
namespace {

using profile::Profile;

constexpr std::int64_t kNewEntriesBytes = std::int64_t{256} << 10;  // of new table entries in one chunk, about
// Of old entries that each chunk repeats. A constant cost, instead of all tables at once now and then: those of a large
// program would hold up the sampling.
constexpr std::int64_t kRepeatedBytes = 1024;
constexpr std::size_t kMaxText = std::size_t{256} << 10;
constexpr std::size_t kMaxMoreCounts = 1024;
constexpr std::size_t kMaxCountName = 256;
constexpr std::size_t kSourcesChunkBytes = std::size_t{1} << 20;  // of source files in one chunk, about
constexpr std::size_t kSourceRowBytes = 64;                       // of one without its texts, at the most
constexpr std::size_t kRowBytes = 8;                              // of an entry without its texts, about

std::string_view cut(std::string_view text) { return text.substr(0, kMaxText); }

// A section whose length is written when it is complete.
class Section {
 public:
  Section(FtapSection tag, std::string& out) : out_(out) {
    put<std::uint8_t>(out_, static_cast<std::uint8_t>(tag));
    put<std::uint32_t>(out_, 0);
    start_ = out_.size();
  }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;
  ~Section() {
    const auto length = static_cast<std::uint32_t>(out_.size() - start_);
    out_.replace(start_ - sizeof length, sizeof length, reinterpret_cast<const char*>(&length), sizeof length);
  }

 private:
  std::string& out_;
  std::size_t start_;
};

template <typename Get>
void put_rows(std::string& out, std::size_t from, std::size_t to, const Get& get) {
  std::vector<std::uint64_t> values;
  values.reserve(to - from);
  for (std::size_t i = from; i < to; ++i) values.push_back(static_cast<std::uint64_t>(get(i)));
  put_column(out, values);
}

template <typename Get>
void put_text_rows(std::string& out, std::size_t from, std::size_t to, const Get& get) {
  std::vector<std::string_view> texts;
  texts.reserve(to - from);
  for (std::size_t i = from; i < to; ++i) texts.push_back(cut(get(i)));
  put_texts(out, texts);
}

void put_recording(const profile::Recording& recording, std::string& out) {
  const Section section(FtapSection::recording, out);
  put<std::uint64_t>(out, recording.start_unix_ns);
  put<std::uint64_t>(out, recording.duration_ns);
  put<double>(out, recording.rate_hz);
  put<std::uint8_t>(out, static_cast<std::uint8_t>(recording.mode));
  put_texts(out, std::array{cut(recording.ended)});
  const profile::Quality& quality = recording.quality;
  const std::array counts = {quality.ticks,
                             quality.missed_ticks,
                             quality.free_running,
                             quality.ride_along,
                             quality.paused,
                             quality.torn,
                             quality.unreadable,
                             quality.no_frames,
                             quality.truncated,
                             quality.median_sample_ns,
                             quality.slowest_sample_ns,
                             quality.unmerged,
                             quality.native_truncated,
                             quality.guessed,
                             quality.median_stop_ns,
                             quality.interrupted};
  put<std::uint32_t>(out, static_cast<std::uint32_t>(counts.size()));
  put_column(out, counts);
  std::vector<std::string_view> names;
  std::vector<std::uint64_t> values;
  for (const auto& [name, count] : quality.more) {
    if (names.size() == kMaxMoreCounts) break;
    names.push_back(std::string_view(name).substr(0, kMaxCountName));
    values.push_back(count);
  }
  put<std::uint32_t>(out, static_cast<std::uint32_t>(names.size()));
  put_texts(out, names);
  put_column(out, values);
  put<std::uint8_t>(out, recording.native ? 1 : 0);
}

// About how many bytes an entry takes.
std::size_t entry_bytes(const Profile& tables, FtapSection table, std::size_t i) {
  switch (table) {
    case FtapSection::strings:
      return 1 + cut(tables.text(profile::StringId(i))).size();
    case FtapSection::processes:
      return kRowBytes + cut(tables.processes()[i].command).size() + cut(tables.processes()[i].python).size();
    case FtapSection::threads:
      return kRowBytes + cut(tables.threads()[i].name).size();
    default:
      return kRowBytes;
  }
}

void put_functions(const Profile& tables, std::size_t from, std::size_t to, std::string& out) {
  const auto function = [&](std::size_t i) -> const profile::Function& {
    return tables.function(profile::FunctionId(i));
  };
  put_rows(out, from, to, [&](std::size_t i) { return function(i).name; });
  put_rows(out, from, to, [&](std::size_t i) { return function(i).file; });
  put_rows(out, from, to, [&](std::size_t i) { return function(i).first_line; });
  put_rows(out, from, to, [&](std::size_t i) { return function(i).kind; });
  put_rows(out, from, to, [&](std::size_t i) { return function(i).module; });
}

// The rows of one table.
void put_table(const Profile& tables, FtapSection table, std::size_t from, std::size_t to, std::string& out) {
  const Section section(table, out);
  put<std::uint32_t>(out, static_cast<std::uint32_t>(from));
  put<std::uint32_t>(out, static_cast<std::uint32_t>(to - from));
  const auto frame = [&](std::size_t i) { return tables.frame(profile::FrameId(i)); };
  const auto stack = [&](std::size_t i) { return tables.stack(profile::StackId(i)); };
  switch (table) {
    case FtapSection::strings:
      return put_text_rows(out, from, to, [&](std::size_t i) { return tables.text(profile::StringId(i)); });
    case FtapSection::functions:
      return put_functions(tables, from, to, out);
    case FtapSection::frames:
      put_rows(out, from, to, [&](std::size_t i) { return frame(i).function; });
      return put_rows(out, from, to, [&](std::size_t i) { return frame(i).line; });
    case FtapSection::stacks:
      put_rows(out, from, to, [&](std::size_t i) { return i - static_cast<std::size_t>(stack(i).parent); });
      return put_rows(out, from, to, [&](std::size_t i) { return stack(i).frame; });
    case FtapSection::processes:
      put_rows(out, from, to, [&](std::size_t i) { return tables.processes()[i].pid; });
      put_text_rows(out, from, to, [&](std::size_t i) -> std::string_view { return tables.processes()[i].command; });
      return put_text_rows(out, from, to,
                           [&](std::size_t i) -> std::string_view { return tables.processes()[i].python; });
    case FtapSection::threads:
      put_rows(out, from, to, [&](std::size_t i) { return tables.threads()[i].process; });
      put_rows(out, from, to, [&](std::size_t i) { return tables.threads()[i].id; });
      return put_text_rows(out, from, to, [&](std::size_t i) -> std::string_view { return tables.threads()[i].name; });
    case FtapSection::recording:
    case FtapSection::samples:
    case FtapSection::sources:
      break;
  }
  assert(false);
}

}  // namespace

FtapEncoder::Positions FtapEncoder::sizes(const Profile& tables) {
  return {tables.string_count(), tables.function_count(),   tables.frame_count(),
          tables.stack_count(),  tables.processes().size(), tables.threads().size()};
}

// Puts entries from `from` on, which it moves, before `end`, until the budget, which it takes from, is used up. The
// last one may overdraw it. True: all are in.
bool FtapEncoder::put_entries(const Profile& tables, Positions& from, const Positions& end, std::int64_t& budget,
                              std::string& plain) {
  for (std::size_t i = 0; i < kTables; ++i) {
    const auto table = static_cast<FtapSection>(static_cast<std::size_t>(FtapSection::strings) + i);
    std::size_t to = from[i];
    while (to < end[i] && budget > 0) budget -= static_cast<std::int64_t>(entry_bytes(tables, table, to++));
    if (to > from[i]) put_table(tables, table, from[i], to, plain);
    from[i] = to;
    if (to < end[i]) return false;
  }
  return true;
}

bool FtapEncoder::next_chunk(const Profile& tables, std::string& chunk) {
  plain_.clear();
  put_recording(tables.recording, plain_);
  repeat_budget_ = std::min(repeat_budget_ + kRepeatedBytes, kRepeatedBytes);  // a long text is paid for by many chunks
  if (put_entries(tables, repeat_, next_, repeat_budget_, plain_)) repeat_ = kStart;
  return finish_chunk(tables, false, chunk);
}

bool FtapEncoder::last_chunk(const Profile& tables, std::string& chunk) {
  if (!ending_ && sequence_ > 0) next_ = kStart;
  ending_ = true;
  plain_.clear();
  put_recording(tables.recording, plain_);
  return finish_chunk(tables, true, chunk);
}

bool FtapEncoder::finish_chunk(const Profile& tables, bool last, std::string& chunk) {
  std::int64_t budget = kNewEntriesBytes;
  const std::size_t first_function = next_[kFunctions];
  bool complete = put_entries(tables, next_, sizes(tables), budget, plain_);
  note_kinds(tables, first_function, next_[kFunctions]);
  if (tables.recording.mode == profile::Mode::ready) min_reader_ = kFtapMinReadyReader;
  if (complete) put_samples(plain_);
  if (complete && last) complete = put_sources(tables, plain_);
  maker_.make({.recording_id = options_.recording_id,
               .sequence = sequence_++,
               .last = last && complete,
               .min_reader = min_reader_},
              plain_, chunk);
  return !complete;
}

// What an older reader cannot show stays in the tables that the following chunks refer to: those are not for it either.
void FtapEncoder::note_kinds(const Profile& tables, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const profile::FrameKind kind = tables.function(profile::FunctionId(i)).kind;
    if (kind > profile::FrameKind::marker) min_reader_ = kFtapMinNativeReader;
  }
}

// As many whole files as there is room for; true: all are in. A file that is not whole would have wrong lines, so none
// is divided. In a chunk that has nothing else, the largest one finds room.
bool FtapEncoder::put_sources(const Profile& tables, std::string& plain) {
  std::vector<std::string_view> paths;
  std::vector<std::string_view> texts;
  std::size_t bytes = plain.size();
  auto source = tables.sources().lower_bound(next_source_);
  for (; source != tables.sources().end() && bytes < kSourcesChunkBytes; ++source) {
    const std::string_view path = cut(tables.text(source->first));
    bytes += path.size() + source->second.size() + kSourceRowBytes;
    if (bytes > kFtapMaxPlain) break;
    paths.push_back(path);
    texts.push_back(source->second);
  }
  if (!paths.empty()) {
    const Section section(FtapSection::sources, plain);
    put<std::uint32_t>(plain, static_cast<std::uint32_t>(paths.size()));
    put_texts(plain, paths);
    put_texts(plain, texts);
  }
  if (source == tables.sources().end()) return true;
  next_source_ = source->first;
  return false;
}

void FtapEncoder::put_samples(std::string& plain) {
  const std::size_t count = samples_.size();
  const auto sample = [&](std::size_t i) -> const profile::Sample& { return samples_[i]; };
  const auto time = [&](std::size_t i) { return samples_[i].time_ns / options_.time_unit_ns; };
  const profile::Sample typical = count > 0 ? samples_[count / 2] : profile::Sample{};
  const std::uint64_t weight_per_tick = typical.ticks > 0 ? typical.weight_ns / typical.ticks : 0;

  const Section section(FtapSection::samples, plain);
  put<std::uint64_t>(plain, samples_before_);
  put<std::uint32_t>(plain, static_cast<std::uint32_t>(count));
  put<std::uint32_t>(plain, options_.time_unit_ns);
  put<std::uint64_t>(plain, weight_per_tick);
  put<std::uint64_t>(plain, count > 0 ? time(0) : 0);
  put_rows(plain, 0, count, [&](std::size_t i) { return time(i) - time(i > 0 ? i - 1 : 0); });
  put_rows(plain, 0, count, [&](std::size_t i) { return sample(i).thread; });
  put_rows(plain, 0, count, [&](std::size_t i) { return sample(i).stack; });
  put_rows(plain, 0, count, [&](std::size_t i) { return sample(i).ticks; });
  put_rows(plain, 0, count, [&](std::size_t i) { return sample(i).state; });
  put_rows(plain, 0, count, [&](std::size_t i) { return sample(i).weight_ns - sample(i).ticks * weight_per_tick; });
  samples_before_ += count;
  samples_.clear();
}

}  // namespace flametap::format

#include "format/ftap_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "format/ftap_bytes.h"
#include "format/ftap_chunk.h"
#include "format/ftap_scanner.h"
#include "format/ftap_tables.h"
#include "format/limits.h"
#include "format/text.h"

namespace flametap::format {
namespace {

using profile::Sample;

// Stays with the profile in whatever format it goes on.
constexpr const char* kLostSamples = "lost_from_file";

// What was missing, over the whole file.
struct Losses {
  FtapScanner::Findings found;
  bool ended = false;                  // the chunk that says so is there
  std::uint64_t absurd_chunks = 0;     // whose checksum fits and whose content cannot be
  std::uint64_t lost_samples = 0;      // that stood in chunks which are gone
  std::uint64_t nameless_samples = 0;  // that are there, but not all that they refer to
};

// Calls `visit(kind, cursor)`, which says whether the section makes sense, for each section of a kind that is known.
// Gives whether all did.
template <typename Visit>
bool for_each_section(Bytes plain, const Visit& visit) {
  FtapCursor content(plain);
  while (!content.empty()) {
    const auto kind = content.take<std::uint8_t>();
    FtapCursor section(content.take_bytes(content.take<std::uint32_t>()));
    if (!content.ok()) return false;
    const bool known = kind >= static_cast<std::uint8_t>(FtapSection::recording) &&
                       kind <= static_cast<std::uint8_t>(FtapSection::sources);
    if (known && !visit(static_cast<FtapSection>(kind), section)) return false;
  }
  return true;
}

// Adds the samples of one chunk after the other to the profile of the tables.
class SampleReader {
 public:
  SampleReader(FtapTables& tables, Losses& losses, const ReadOptions& options)
      : tables_(tables), losses_(losses), options_(options) {}

  [[nodiscard]] bool too_many() const { return keys_.size() + tables_.profile.samples().size() > options_.max_rows; }

  [[nodiscard]] bool read(FtapCursor& cursor) {
    const auto first = cursor.take<std::uint64_t>();
    const std::size_t count = cursor.take<std::uint32_t>();
    const auto time_unit = cursor.take<std::uint32_t>();
    const auto weight_per_tick = cursor.take<std::uint64_t>();
    auto time = cursor.take<std::uint64_t>();
    const std::vector<std::uint64_t> time_steps = cursor.take_column(count);
    const std::vector<std::uint64_t> thread = cursor.take_column(count);
    const std::vector<std::uint64_t> stack = cursor.take_column(count);
    const std::vector<std::uint64_t> ticks = cursor.take_column(count);
    const std::vector<std::uint64_t> state = cursor.take_column(count);
    const std::vector<std::uint64_t> extra_weight = cursor.take_column(count);
    if (!cursor.ok() || time_unit == 0 || first < expected_first_) return false;
    losses_.lost_samples += first - expected_first_;
    expected_first_ = first + count;
    for (std::size_t i = 0; i < count; ++i) {
      time += time_steps[i];
      const std::uint64_t weight = ticks[i] * weight_per_tick + extra_weight[i];
      if (time > kMaxSum / time_unit || state[i] > 255 || !fits(ticks[i], weight)) return false;
      const FtapTables::StackRef known = tables_.stack(stack[i]);
      if (known.lost) losses_.nameless_samples += 1;
      add(Sample{time * time_unit, weight, tables_.thread(thread[i]), known.id, ticks[i],
                 static_cast<stack::State>(state[i])});
    }
    return true;
  }

  void finish() {
    for (const Sample& sample : merged_) tables_.profile.add(sample);
  }

 private:
  struct Key {
    profile::ThreadId thread;
    profile::StackId stack;
    std::uint64_t state;  // as wide as this, so that there is no padding
    bool operator==(const Key&) const = default;
  };

  // Whether the sums stay within what every format can hold.
  bool fits(std::uint64_t ticks, std::uint64_t weight) {
    if (ticks > kMaxSum - total_ticks_ || weight > kMaxSum - total_weight_) return false;
    total_ticks_ += ticks;
    total_weight_ += weight;
    return true;
  }

  void add(const Sample& sample) {
    if (options_.keep_time) {
      tables_.profile.add(sample);
      return;
    }
    const auto place = static_cast<std::size_t>(keys_.intern(Key{sample.thread, sample.stack, sample.state}));
    if (place == merged_.size()) {
      merged_.push_back(sample);
      return;
    }
    merged_[place].ticks += sample.ticks;
    merged_[place].weight_ns += sample.weight_ns;
  }

  FtapTables& tables_;
  Losses& losses_;
  ReadOptions options_;
  std::uint64_t expected_first_ = 0;
  std::uint64_t total_ticks_ = 0;
  std::uint64_t total_weight_ = 0;
  Interner<Key, std::uint32_t> keys_;
  std::vector<Sample> merged_;  // by number of the key
};

std::string counted(std::uint64_t count, const std::string& thing) {
  return with_commas(count) + " " + thing + (count == 1 ? "" : "s");
}

std::vector<std::string> warnings_of(const Losses& losses, const profile::Profile& profile) {
  std::vector<std::string> warnings;
  const FtapScanner::Findings& found = losses.found;
  if (found.header_damaged) warnings.push_back("the file's header is damaged; the recording is in the rest of it");
  if (found.damaged_stretches > 0) {
    warnings.push_back("damaged and passed over: " + counted(found.damaged_bytes, "byte") + " in " +
                       counted(found.damaged_stretches, "place"));
  }
  if (found.lost_chunks > 0 || losses.lost_samples > 0) {
    warnings.push_back("missing from the recording: " + counted(found.lost_chunks, "chunk") + " with " +
                       counted(losses.lost_samples, "sample"));
  }
  if (found.foreign_chunks > 0) {
    warnings.push_back("left out: " + counted(found.foreign_chunks, "chunk") + " of another recording");
  }
  if (found.newer_chunks > 0) {
    warnings.push_back("left out: " + counted(found.newer_chunks, "chunk") + " for newer versions of flametap");
  }
  if (losses.absurd_chunks > 0) {
    warnings.push_back("left out, at least in part: " + counted(losses.absurd_chunks, "chunk") +
                       " with a content that cannot be");
  }
  if (losses.nameless_samples > 0) {
    warnings.push_back("shown as " + std::string(kLost) + ": names that are missing, in " +
                       counted(losses.nameless_samples, "sample"));
  }
  if (losses.ended && found.cut_bytes > 0) {
    warnings.push_back("passed over: " + counted(found.cut_bytes, "byte") + " behind the end of the recording");
  }
  if (!losses.ended) {
    warnings.push_back("the recording was cut off, or is still running: here are its first " +
                       human_time(profile.recording.duration_ns));
  }
  return warnings;
}

Result<void> read_tables(const ByteSource& source, FtapTables& tables, Losses& losses) {
  Result<FtapScanner> scanner = FtapScanner::open(source);
  if (!scanner) return scanner.error();
  bool any = false;
  while (true) {
    const Result<bool> found = scanner->next();
    if (!found) return found.error();
    if (!*found) break;
    any = true;
    losses.ended = losses.ended || scanner->header().last;
    const auto visit = [&](FtapSection kind, FtapCursor& cursor) { return tables.read(kind, cursor); };
    if (!for_each_section(scanner->plain(), visit)) losses.absurd_chunks += 1;
  }
  losses.found = scanner->findings();
  if (any) return {};
  if (losses.found.newer_chunks > 0) {
    return Error{Failure::failed, "it was written by a newer flametap, with what this one cannot show",
                 "use a newer flametap"};
  }
  return Error{Failure::failed, "there is no whole chunk of a recording in it: it was cut off before the first one",
               ""};
}

Result<void> read_samples(const ByteSource& source, SampleReader& samples, Losses& losses) {
  Result<FtapScanner> scanner = FtapScanner::open(source);
  if (!scanner) return scanner.error();
  while (true) {
    const Result<bool> found = scanner->next();
    if (!found) return found.error();
    if (!*found) break;
    bool sensible = true;
    (void)for_each_section(scanner->plain(), [&](FtapSection kind, FtapCursor& cursor) {
      if (kind == FtapSection::samples) sensible = samples.read(cursor);
      return sensible;
    });
    if (!sensible) losses.absurd_chunks += 1;
    if (samples.too_many()) return Error{Failure::failed, "it has too many samples to be read here", ""};
  }
  samples.finish();
  return {};
}

}  // namespace

Result<ReadProfile> read_ftap(const ByteSource& source, const ReadOptions& options) {
  Losses losses;
  FtapTables tables(std::min(source.size() * kFtapMaxExpansion, options.max_rows));
  if (const Result<void> read = read_tables(source, tables, losses); !read) return read.error();
  tables.settle();
  SampleReader samples(tables, losses, options);
  if (const Result<void> read = read_samples(source, samples, losses); !read) return read.error();
  if (losses.lost_samples > 0) tables.profile.recording.quality.more[kLostSamples] += losses.lost_samples;
  std::vector<std::string> warnings = warnings_of(losses, tables.profile);
  return ReadProfile{std::move(tables.profile), std::move(warnings)};
}

}  // namespace flametap::format

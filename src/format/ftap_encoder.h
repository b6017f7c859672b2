// FtapEncoder: turns samples, and the growing tables that they refer to, into the chunks of an .ftap file. Pure: it
// knows no file. Keeps the samples of one chunk and nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/ftap_chunk.h"
#include "profile/profile.h"

namespace flametap::format {

class FtapEncoder {
 public:
  struct Options {
    std::uint64_t recording_id = 0;  // tells the chunks of this recording from those of others
    std::uint32_t time_unit_ns = 1;  // the times of samples are rounded down to it
  };

  explicit FtapEncoder(Options options) : options_(options) {}

  // What the file begins with.
  [[nodiscard]] std::string header() const { return file_header({.recording_id = options_.recording_id}); }

  void add(const profile::Sample& sample) { samples_.push_back(sample); }
  // No further sample fits into the chunk: ask for it now.
  [[nodiscard]] bool full() const { return samples_.size() >= kMaxSamples; }

  // The next chunk of what was added and of what is new in `tables`; true if there is more: ask again before you add.
  [[nodiscard]] bool next_chunk(const profile::Profile& tables, std::string& chunk);
  // The same at the end of the recording. All tables are in it once more, so that in a file that has its end no chunk
  // is needed to understand another one. So are the source files, for the first time.
  [[nodiscard]] bool last_chunk(const profile::Profile& tables, std::string& chunk);

 private:
  static constexpr std::size_t kMaxSamples = 16'384;
  static constexpr std::size_t kTables = 6;
  using Positions = std::array<std::size_t, kTables>;      // in the order of FtapSection, from strings on
  static constexpr std::size_t kFunctions = 1;             // the place of the functions in it
  static constexpr Positions kStart = {0, 0, 0, 1, 0, 0};  // stack 0 is the empty one, which every reader knows

  [[nodiscard]] static Positions sizes(const profile::Profile& tables);
  [[nodiscard]] static bool put_entries(const profile::Profile& tables, Positions& from, const Positions& end,
                                        std::int64_t& budget, std::string& plain);
  [[nodiscard]] bool finish_chunk(const profile::Profile& tables, bool last, std::string& chunk);
  void put_samples(std::string& plain);
  [[nodiscard]] bool put_sources(const profile::Profile& tables, std::string& plain);
  void note_kinds(const profile::Profile& tables, std::size_t from, std::size_t to);

  Options options_;
  FtapChunkMaker maker_;
  std::vector<profile::Sample> samples_;
  std::uint64_t samples_before_ = 0;  // in the chunks before
  std::uint32_t sequence_ = 0;
  Positions next_ = kStart;    // the first entries that are in no chunk yet
  Positions repeat_ = kStart;  // the first entries to repeat in the next chunk
  std::int64_t repeat_budget_ = 0;
  profile::StringId next_source_{0};  // the first path whose text may be in no chunk yet
  bool ending_ = false;
  std::uint8_t min_reader_ = kFtapMinReader;
  std::string plain_;
};

}  // namespace flametap::format

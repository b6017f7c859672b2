// StackReader: the Python stack of one thread of a target, true or not at all.
//
// One `read` is one call of Memory::read, of memory that was guessed from the readings before:
//
//   first reading of the frames | the thread's own words | second reading of the frames | witnesses of the code objects
//     and, of a thread that may be running, three looks more: | which frame is the innermost | the frames
//
// The instant of the sample is when the thread's own words are read: they say which frame is the innermost. Each frame
// of the chain that starts there must be the same in the reading before and in the reading after that instant; then it
// was so at that instant. Frames that are not on the chain may move as they like. Only the innermost frame's
// instruction need not agree: it moves all the time, and every value of it is true. A thread that calls and returns
// several times during the call could make two readings agree by chance: frames that it has left keep their contents
// for a while. So of a thread that may be running everything is looked at three times more, and must be the same each
// time.
//
// Rejected: to demand that the innermost frame is the same in both readings. It makes the window longer, and it favours
// functions that run long over those that call a lot.
//
// `read` is the hot path: it allocates nothing. `learn` is not. One thread only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cpython/code_cache.h"
#include "cpython/coverage.h"
#include "cpython/layout.h"
#include "target/memory.h"
#include "target/page_cache.h"

namespace flametap::cpython {

struct CodeFrame {
  CodeId code;
  std::int32_t line;  // 0: the code object has no line there

  bool operator==(const CodeFrame&) const = default;
};

// The frames that one call of the C function which evaluates Python code runs: the one that it was called for, and
// those that this one called without a further such call (3.11+). May be empty while it begins or ends (3.12+).
struct Run {
  std::uint32_t end;       // in frames(): they begin where the run before it ends
  target::Address anchor;  // 3.12+: something in the C stack's part of that call, the shim frame; else null
};

enum class Reading : std::uint8_t {
  verified,   // frames() is the stack
  no_frames,  // verified too: the thread runs no Python now
  moved,      // the two readings disagree
  unknown,    // it is somewhere, or runs something, that the guess does not cover: learn(), then read again
  unmapped,   // part of the guess cannot be read any more: learn(), then read again
  gone,       // the process is no more
  denied,
  elsewhere,  // read_instant: the thread does not run where it was looked for
};

class StackReader {
 public:
  struct Options {
    bool lines = true;
  };

  // `memory`, `layout` and `codes` must outlive the reader. `thread` is the address of the PyThreadState.
  StackReader(target::Memory& memory, const Layout& layout, CodeCache& codes, target::Address thread, Options options);

  // Of a thread that stands still, or whose stillness is checked by other means.
  [[nodiscard]] Reading read() { return read_from(memory_, std::span(segments_).first(still_segments_)); }
  // Of a thread that may be running.
  [[nodiscard]] Reading read_running() { return read_from(memory_, segments_); }
  // From memory that is of one instant as a whole.
  [[nodiscard]] Reading read_instant(target::Memory& memory) { return read_from(memory, instant_segments_); }
  // Looks at where the thread is now, and at what the last reading stumbled over, and guesses anew from it.
  void learn();
  // The guess has grown old: it may cover more than is needed by now. A learn() is due when there is time.
  [[nodiscard]] bool old() const { return round_ - learned_in_ >= kKeepRounds; }

  [[nodiscard]] target::Address thread() const { return thread_; }
  // Of the last verified reading; the innermost first.
  [[nodiscard]] std::span<const CodeFrame> frames() const { return {frames_.data(), frame_count_}; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  // How the frames of the last verified reading, also of one without frames, belong to calls of C functions; the
  // innermost first.
  [[nodiscard]] std::span<const Run> runs() const { return {runs_.data(), run_count_}; }
  // The thread's own words as of the last reading that was not unmapped, gone or denied.
  [[nodiscard]] Bytes thread_words() const { return thread_words_; }

  // More to be read in the same call, at the instant of the sample. `segments` and what they point to belong to the
  // caller and must stay until replaced.
  void read_along(std::span<const target::Segment> segments);

  static constexpr std::size_t kMaxDepth = 4096;

 private:
  static constexpr std::uint32_t kKeepRounds = 4096;  // what was not met for so many readings is not read any more

  static constexpr std::size_t kCFrames = 4;
  using CFrameWords = std::array<std::uint64_t, kCFrames>;
  // One more look at a thread that may be running.
  struct Look {
    target::Address link = target::kNull;  // to the innermost frame
    CFrameWords cframes{};
    std::vector<std::byte> frames;  // all of them in the first look; in the others those near the innermost one
  };
  static constexpr std::size_t kLooks = 3;
  struct Span {
    std::size_t from;
    std::size_t end;
  };

  struct RawFrame {
    target::Address code;
    std::int32_t offset;  // of the instruction, in bytes from the start of the instructions
  };
  struct WantedCode {
    target::Address address;
    std::uint32_t used_in;
  };
  // A code object that the guess covers, and the checks that confirm it.
  struct PlannedCode {
    target::Address address = target::kNull;
    CodeId id{};
    std::uint32_t first_check = 0;
    std::uint32_t check_count = 0;
    std::uint32_t confirmed_in = 0;  // the round of the last confirmation
    std::uint32_t used_in = 0;
  };
  struct Check {
    std::size_t at;  // in witness_bytes_
    std::uint32_t length;
    std::uint32_t expected;  // in expected_
  };
  // A frame object, or a part of the thread's stack of frames.
  struct Range {
    std::uint64_t from;
    std::uint64_t length;
    std::uint32_t used_in;  // the round
  };

  // Hot: stack_reader.cc.
  Reading read_from(target::Memory& memory, std::span<const target::Segment> segments);
  Reading read_once(target::Memory& memory, std::span<const target::Segment> segments);
  [[nodiscard]] target::Address innermost_frame(target::Address link, const CFrameWords& words, bool& known) const;
  [[nodiscard]] bool is_half_made() const;
  [[nodiscard]] bool innermost_is_still(target::Address innermost) const;
  Reading walk(target::Address innermost);
  [[nodiscard]] bool frame_moved(std::size_t at, bool innermost) const;
  [[nodiscard]] bool ends_run(std::size_t at) const;
  bool end_run(target::Address anchor);
  [[nodiscard]] bool looked_at_each_time(std::size_t at) const;
  [[nodiscard]] bool beyond_stack_top(target::Address frame, std::uint8_t owner) const;
  [[nodiscard]] std::int32_t instruction_offset(std::size_t at, target::Address code) const;
  [[nodiscard]] const std::vector<std::byte>& last_reading_of_frames() const { return instant_ ? first_ : second_; }
  Reading resolve();
  [[nodiscard]] PlannedCode& slot(target::Address code);
  [[nodiscard]] PlannedCode* planned(target::Address code);
  [[nodiscard]] bool confirm(PlannedCode& code);

  // Cold: stack_learning.cc.
  void start_afresh();
  void learn_chunks(Bytes thread);
  void learn_older_chunks(target::Address chunk);
  [[nodiscard]] target::Address learn_innermost(Bytes thread);
  void learn_chain(target::Address frame);
  void learn_code(target::Address code);
  void want(target::Address from, std::uint64_t length);
  void forget_unused();
  void plan();
  void plan_frames();
  void plan_codes();
  void plan_segments();
  void split_by_heat(std::vector<Coverage::Stretch>& calm, std::vector<Coverage::Stretch>& hot) const;

  target::Memory& memory_;
  const Layout& layout_;
  CodeCache& codes_;
  const target::Address thread_;
  const Options options_;

  // The guess.
  std::vector<Range> ranges_;
  std::vector<WantedCode> wanted_codes_;
  std::array<target::Address, kCFrames> cframes_{};  // where the innermost _PyCFrame was lately, the newest first
  std::uint64_t chunk_ = 0;                          // the newest chunk of the thread's stack of frames
  std::uint64_t chunk_end_ = 0;
  std::uint64_t chunk_used_ = 0;  // the highest end of an innermost frame in it since the last learn()
  target::Address last_innermost_ = target::kNull;
  std::vector<target::Address> near_;  // the innermost frames when we last learned
  bool memory_has_holes_ = false;      // then only what touches is read as one

  // The plan made of it.
  Coverage frame_coverage_;
  Coverage witness_coverage_;
  std::vector<target::Segment> segments_;
  std::size_t still_segments_ = 0;                 // how many of them are read of a thread that stands still
  std::vector<target::Segment> instant_segments_;  // what suffices where all is of one instant: everything once
  std::vector<Span> hot_;                          // which parts of the frames every look has
  std::span<const target::Segment> read_along_;
  std::vector<PlannedCode> planned_;  // open addressing; the size is a power of two
  std::vector<Check> checks_;
  std::vector<std::byte> expected_;

  // What was read.
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
  std::vector<std::byte> witness_bytes_;
  std::vector<std::byte> thread_words_;
  CFrameWords cframe_words_{};
  std::array<Look, kLooks> looks_;
  bool running_ = false;  // the last reading was of a thread that may be running
  bool instant_ = false;  // it was of one instant: there is no second one
  std::vector<RawFrame> raw_;
  std::size_t raw_count_ = 0;
  std::vector<CodeFrame> frames_;
  std::size_t frame_count_ = 0;
  std::vector<Run> runs_;
  std::size_t run_count_ = 0;
  bool truncated_ = false;
  target::Address stumbled_over_ = target::kNull;  // a frame that the guess does not cover
  Reading last_reading_ = Reading::unknown;
  std::uint32_t round_ = 1;
  std::uint32_t learned_in_ = 0;
  target::PageCache pages_;
};

}  // namespace flametap::cpython

// StackReader: the Python stack of one thread of a target, true or not at all.
//
// One `read` is one call of Memory::read, of memory that was guessed from the readings before (and one or two small
// ones where a thread that stands still has a _PyCFrame that is new):
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
// Not all frames and code objects ever met are read each time, only those met lately. If others turn up while the
// thread stands still, it is read once more together with them. Code objects with version numbers (3.12+) that were
// known before may be confirmed after the instant of the sample just as well: a number does not come back. Whoever can
// stop the thread for an instant may follow trail(), and complete() takes what is new from there.
//
// `read` is the hot path: it allocates nothing. `learn` and `complete` are not. One thread only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cpython/cframes.h"
#include "cpython/code_cache.h"
#include "cpython/confirmation.h"
#include "cpython/coverage.h"
#include "cpython/layout.h"
#include "target/memory.h"
#include "target/page_cache.h"
#include "target/trail.h"

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
  unknown,    // it is somewhere, or runs something, that the guess does not cover: complete(), or learn() and again
  unmapped,   // part of the guess cannot be read any more: learn(), then read again
  gone,       // the process is no more
  denied,
  elsewhere,  // read_instant: the thread does not run where it was looked for
};

[[nodiscard]] constexpr bool is_verified(Reading reading) {
  return reading == Reading::verified || reading == Reading::no_frames;
}
[[nodiscard]] constexpr bool is_end(Reading reading) { return reading == Reading::gone || reading == Reading::denied; }

class StackReader {
 public:
  struct Options {
    bool lines = true;
  };

  // `memory`, `layout` and `codes` must outlive the reader. `thread` is the address of the PyThreadState.
  StackReader(target::Memory& memory, const Layout& layout, CodeCache& codes, target::Address thread, Options options);

  // Of a thread that stands still, or whose stillness is checked by other means.
  [[nodiscard]] Reading read();
  // Of a thread that may be running.
  [[nodiscard]] Reading read_running();
  // From memory that is of one instant as a whole. `followed`: what is known of the same instant besides, once that has
  // been read: what trail() leads to; or null. Used until the next reading.
  [[nodiscard]] Reading read_instant(target::Memory& memory, target::Memory* followed);
  // Leads to the innermost frames and what they run. Nothing if they are too large for it.
  [[nodiscard]] const std::optional<target::Trail>& trail() const { return trail_; }
  // After a reading that was unknown: takes what it lacks from what was followed, and says what that reading is then.
  [[nodiscard]] Reading complete();
  // Of a thread that stands still, after a reading that was unknown or unmapped: learns what it takes, and reads again.
  [[nodiscard]] Reading learn_and_read();
  // Looks at where the thread is now, and at what the last reading stumbled over, and guesses anew from it.
  void learn();
  // The guess has grown old: it may cover more than is needed by now, or too little. A learn() is due when there is
  // time.
  [[nodiscard]] bool old() const {
    return round_ - learned_in_ >= kKeepRounds || late_readings_ >= late_limit_ || missing_ > kMaxMissing ||
           ranges_.size() > kMaxRanges;
  }

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
  static constexpr std::uint32_t kManyLate = 32;      // readings with a call more, after which to plan anew

  enum class Manner : std::uint8_t {
    still,
    again,  // of a thread that still stands still: with what the reading before met and the plan does not have
    running,
    instant,
  };

  static constexpr std::size_t kMaxLateFrames = 256;
  static constexpr std::size_t kMaxRanges = 4 * kMaxDepth;  // before it is looked at which of them are still used
  static constexpr std::size_t kMaxMissing = 16;            // so much of the guess may be gone before it is old
  static constexpr std::uint64_t kMaxChunk = std::uint64_t{1} << 24;
  // One more look at a thread that may be running.
  struct Look {
    target::Address link = target::kNull;  // to the innermost frame
    CFrames::Copies cframes{};
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

    bool operator==(const RawFrame&) const = default;
  };
  struct ShownFrame {
    RawFrame raw;
    CodeFrame shown;
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
  // A part of the thread's stack of frames (3.11+).
  struct Chunk {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t used = 0;  // the highest end of an innermost frame in it since it was last looked at
  };
  // A frame object, or the used part of a chunk.
  struct Range {
    std::uint64_t from;
    std::uint64_t length;
    std::uint32_t used_in;  // the round
  };

  // Hot: stack_reader.cc.
  Reading read_from(target::Memory& memory, std::span<const target::Segment> segments, Manner manner,
                    target::Memory* followed = nullptr);
  Reading read_once(target::Memory& memory, std::span<const target::Segment> segments);
  [[nodiscard]] bool is_in_known_chunk();
  [[nodiscard]] bool innermost_is_still(target::Address innermost) const;
  // Forgets what the last walk found.
  void begin_walk() {
    raw_count_ = 0;
    run_count_ = 0;
    entered_from_ = target::kNull;
    entry_is_generator_ = false;
    truncated_ = false;
    stumbled_over_ = target::kNull;
  }
  Reading walk(target::Address innermost, target::Memory* followed);
  [[nodiscard]] std::size_t find_late_frame(target::Address frame) const;
  [[nodiscard]] bool frame_moved(std::size_t at, bool innermost) const;
  [[nodiscard]] bool ends_run(std::size_t at) const;
  bool end_run(target::Address anchor, target::Address caller);
  [[nodiscard]] bool looked_at_each_time(std::size_t at) const;
  [[nodiscard]] bool beyond_stack_top(target::Address frame, std::uint8_t owner) const;
  [[nodiscard]] std::int32_t instruction_offset(std::size_t at, target::Address code) const;
  [[nodiscard]] const std::vector<std::byte>& last_reading_of_frames() const {
    return manner_ == Manner::instant ? first_ : second_;
  }
  Reading resolve();
  [[nodiscard]] bool resolve_late();
  [[nodiscard]] bool ask_for_late_codes();
  [[nodiscard]] bool confirm_late_codes();
  void show_late_codes();
  [[nodiscard]] Reading finish_frames();
  [[nodiscard]] CodeFrame show(CodeId code, std::int32_t offset) const;
  [[nodiscard]] PlannedCode& slot(target::Address code);
  [[nodiscard]] PlannedCode* planned(target::Address code);
  [[nodiscard]] bool confirm(PlannedCode& code);

  // Hot, too: stack_ends.cc.
  [[nodiscard]] std::optional<target::Address> innermost_frame();
  [[nodiscard]] bool is_half_made() const;
  [[nodiscard]] Reading look_at_entry();
  [[nodiscard]] std::optional<CFrames::Copy> find_cframe(target::Address cframe);
  [[nodiscard]] std::optional<target::Address> find_outer_frame(target::Address cframe);
  [[nodiscard]] bool is_root_cframe(target::Address address) const;
  [[nodiscard]] bool ends_with_a_run() const;
  [[nodiscard]] bool is_cut_off() const;
  template <typename T>
  [[nodiscard]] std::optional<T> read_besides(target::Address from);

  // Cold: stack_completion.cc.
  [[nodiscard]] Reading complete_from(target::Memory& followed);
  [[nodiscard]] Reading walk_again(target::Memory& followed);
  [[nodiscard]] bool take_chunk(target::Memory& followed);
  [[nodiscard]] std::size_t take_late_frame(target::Memory& followed, target::Address frame);
  [[nodiscard]] bool take_late_codes(target::Memory& followed);
  [[nodiscard]] bool knows_late_codes() const;
  [[nodiscard]] bool was_known(target::Memory& followed, target::Address address) const;
  void load_late_codes();
  [[nodiscard]] bool find_late_frames();
  [[nodiscard]] Reading read_with_late_ones();

  // Colder: stack_learning.cc.
  void make_room();
  void start_afresh();
  void learn_chunks(Bytes thread);
  void learn_older_chunks(target::Address chunk);
  [[nodiscard]] target::Address learn_innermost(Bytes thread);
  void learn_chain(target::Address frame);
  void learn_code(target::Address code);
  [[nodiscard]] bool is_shim(Bytes frame) const;
  [[nodiscard]] static std::uint64_t number_at(Bytes bytes, Offset offset) {
    return load<std::uint64_t>(bytes, offset).value_or(0);
  }
  void want(target::Address from, std::uint64_t length);
  void forget_unused();
  void plan();
  void plan_frames();
  void plan_codes();
  // Of what was met in this round or later.
  void cover_frames(std::uint32_t oldest);
  void cover_witnesses(std::uint32_t oldest);
  void need_no_texts_of(target::Address address);
  [[nodiscard]] target::Trail::Known as_the_trail_wants_it(const KnownCode& known, target::Address address) const;
  void plan_segments();
  void split_by_heat(std::vector<Coverage::Stretch>& calm, std::vector<Coverage::Stretch>& hot) const;

  target::Memory& memory_;
  const Layout& layout_;
  CodeCache& codes_;
  const target::Address thread_;
  const Options options_;
  std::optional<target::Trail> trail_;

  // The guess.
  std::vector<Range> ranges_;
  std::unordered_map<target::Address, std::uint32_t> wanted_codes_;  // and the round in which each was last met
  CFrames cframes_;
  std::array<Chunk, 4> chunks_{};  // the last ones that were the newest, the current one first
  target::Address last_innermost_ = target::kNull;
  target::Address silent_code_ = target::kNull;  // of which an interpreter has one, if it was met
  std::vector<target::Address> near_;            // the innermost frames when we last learned
  bool memory_has_holes_ = false;                // then only what touches is read as one

  // The plan made of it.
  Coverage frame_coverage_;
  Coverage witness_coverage_;
  std::vector<target::Segment> segments_;
  std::size_t still_segments_ = 0;                 // how many of them are read of a thread that stands still
  std::vector<target::Segment> instant_segments_;  // what suffices where all is of one instant: everything once
  std::vector<Span> hot_;                          // which parts of the frames every look has
  std::span<const target::Segment> read_along_;
  std::vector<PlannedCode> planned_;               // open addressing; the size is a power of two
  std::vector<target::Trail::Known> known_codes_;  // the same, as the trail wants them
  std::vector<Check> checks_;
  std::vector<std::byte> expected_;

  // What the last reading met, and the plan does not have.
  std::vector<target::Address> late_frames_;  // at the end of the buffers for frames
  std::vector<target::Address> late_codes_;   // never more than a Confirmation has room for
  Confirmation confirmation_;
  std::size_t missing_ = 0;                          // parts of the plan that could not be read
  bool only_codes_are_late_ = false;                 // every frame was found
  std::vector<target::Segment> segments_with_late_;  // for such a call
  std::uint32_t late_readings_ = 0;                  // since the plan was made
  std::uint32_t late_limit_ = kManyLate;             // more after a plan that was of little use

  // What was read.
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
  std::vector<std::byte> witness_bytes_;
  std::vector<std::byte> thread_words_;
  CFrames::Copies cframe_copies_{};
  std::array<Look, kLooks> looks_;
  Manner manner_ = Manner::still;       // of the last reading
  target::Memory* followed_ = nullptr;  // what else is known of its instant
  std::vector<RawFrame> raw_;
  std::size_t raw_count_ = 0;
  std::vector<CodeFrame> frames_;
  std::size_t frame_count_ = 0;
  std::vector<Run> runs_;
  std::size_t run_count_ = 0;
  target::Address entered_from_ = target::kNull;  // the frame that called the innermost run
  bool entry_is_generator_ = false;               // it was called for a generator (3.11)
  std::vector<ShownFrame> shown_;                 // as each was shown last, the outermost first
  bool truncated_ = false;
  target::Address stumbled_over_ = target::kNull;  // a frame that the guess does not cover
  Reading last_reading_ = Reading::unknown;
  std::uint32_t round_ = 1;
  std::uint32_t learned_in_ = 0;
  target::PageCache pages_;
};

}  // namespace flametap::cpython

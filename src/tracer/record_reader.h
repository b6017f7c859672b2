// RecordReader: makes Events of the records that the kernel sends.
//
// Keeps every name and every thread that it met: the Events show them, see events/event.h. A record is checked before
// it is believed, whoever wrote it, and what is kept of a hostile target is bounded. One thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "bpf/record.h"
#include "events/event.h"

namespace flametap::tracer {

class RecordReader {
 public:
  // A thread that has just been met, and how the kernel knows it.
  struct Newcomer {
    events::Thread* thread;
    flametap_thread_key key;
  };

  // What only the process itself can tell; both may answer with nothing.
  class Target {
   public:
    Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    virtual ~Target() = default;

    // An object as its memory was captured, written down as Python would.
    [[nodiscard]] virtual std::string describe(pid_t pid, const flametap_capture& capture) = 0;
    // A text that is a constant of the program.
    [[nodiscard]] virtual std::string read_constant(pid_t pid, std::uint64_t address) = 0;
  };
  // Borrows it.
  explicit RecordReader(Target& target) : target_(target) {}

  // The events that a record stands for: none (a thread is introduced, see take_newcomers), one, or a call and its end.
  // They are valid until the next call.
  [[nodiscard]] std::span<events::Event> read(std::span<const std::byte> record);

  // Threads that were introduced since this was last asked.
  [[nodiscard]] std::vector<Newcomer> take_newcomers();

  // Events whose names could not be read.
  [[nodiscard]] std::uint64_t unnamed() const { return unnamed_; }
  // Records that make no sense: there should be none.
  [[nodiscard]] std::uint64_t bad() const { return bad_; }

 private:
  struct Known {
    std::unique_ptr<events::Thread> thread;
    std::uint32_t next_sequence = 0;
    std::uint32_t lost = 0;  // since its last event
    std::string arguments;   // of the audit event that comes next
  };
  enum class TextId : std::uint32_t {};

  Known& known(const flametap_record& header);
  // Takes note of which record of its thread this is.
  static void count_record(Known& known, const flametap_record& header);
  void introduce(const flametap_record& header, std::string_view program);
  void replace_thread(Known& known, const flametap_record& header, std::string program);
  void put_away(std::unique_ptr<events::Thread> thread);
  // It has ended.
  void forget(const flametap_record& header);
  void keep_capture(std::span<const std::byte> record, const flametap_record& header);
  // A text of the target as valid UTF-8, the same memory for the same text, for as long as the reader lives.
  std::string_view text(std::string_view bytes);
  void name(events::Event& event, const flametap_record& header, std::string_view texts);

  Target& target_;
  Interner<std::string, TextId> texts_;  // as they come from the target
  std::vector<std::string_view> valid_;  // the same as valid UTF-8, by their id
  std::deque<std::string> mended_;       // those of them that were not
  std::size_t text_bytes_ = 0;
  std::unordered_map<std::uint64_t, Known> threads_;  // by pid and tid
  std::deque<std::unique_ptr<events::Thread>> gone_;  // whose events may still be in use
  std::vector<Newcomer> newcomers_;
  std::array<events::Event, 2> events_;
  std::uint64_t unnamed_ = 0;
  std::uint64_t bad_ = 0;
};

}  // namespace flametap::tracer

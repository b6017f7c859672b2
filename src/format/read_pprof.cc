#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <protozero/pbf_message.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/folded_frame.h"
#include "format/limits.h"
#include "format/pprof.h"
#include "format/pprof_tables.h"
#include "format/profile_import.h"
#include "format/profile_proto.h"
#include "format/protobuf.h"
#include "format/text.h"

namespace flametap::format {
namespace {

using profile::StackId;

constexpr std::size_t kMaxValues = 1024;

// How many nanoseconds the unit is; 0 if it is no unit of time.
std::uint64_t nanoseconds_in(std::string_view unit) {
  if (unit == "nanoseconds" || unit == "ns" || unit == "nanosecond") return 1;
  if (unit == "microseconds" || unit == "us" || unit == "microsecond") return 1'000;
  if (unit == "milliseconds" || unit == "ms" || unit == "millisecond") return 1'000'000;
  if (unit == "seconds" || unit == "s" || unit == "second") return 1'000'000'000;
  return 0;
}

// Which of a sample's values are its time and its ticks.
struct Choice {
  std::optional<std::size_t> time;
  std::uint64_t factor = 1;
  std::optional<std::size_t> ticks;
  bool is_odd = false;  // the ticks are something else: bytes, objects
};

Choice choose_values(const PprofTables& tables) {
  Choice choice;
  const std::vector<PprofValueType>& types = tables.sample_types();
  int best_time = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::uint64_t factor = nanoseconds_in(types[i].unit);
    if (factor > 0) {
      const bool is_usual = types[i].type == "cpu" || types[i].type == "wall" || types[i].type == "gil";
      const int rank = 1 + (types[i].type == tables.default_sample_type() ? 1 : 0) + (is_usual ? 2 : 0);
      if (rank > best_time) choice.time = i;
      if (rank > best_time) choice.factor = factor;
      best_time = std::max(best_time, rank);
    } else if (types[i].unit == "count" && (!choice.ticks || types[i].type == "samples")) {
      choice.ticks = i;
    }
  }
  if (choice.time || types.empty()) return choice;
  if (choice.ticks && types[*choice.ticks].type == "samples") return choice;
  // A profile of memory, perhaps: then what its producer shows first, else the last value, as `go tool pprof` does.
  choice.ticks = types.size() - 1;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].type == tables.default_sample_type()) choice.ticks = i;
  }
  choice.is_odd = types[*choice.ticks].unit != "count" || types[*choice.ticks].type != "samples";
  return choice;
}

struct RawSample {
  std::vector<std::uint64_t> locations;  // the innermost first
  std::vector<std::int64_t> values;
  ThreadParts thread;
};

template <typename Message, typename Number>
void append_numbers(Message& message, std::vector<Number>& numbers, std::size_t limit) {
  for_each_number(message, [&](std::uint64_t number) {
    if (numbers.size() >= limit) throw protozero::invalid_length_exception();
    numbers.push_back(static_cast<Number>(number));
  });
}

class PprofReader {
 public:
  PprofReader(std::string_view content, const PprofTables& tables, const ReadOptions& options)
      : content_(content), tables_(tables), choice_(choose_values(tables)), import_(options.max_rows) {}

  Result<ReadProfile> read() && {
    if (!choice_.time && !choice_.ticks) return Error{Failure::failed, "it does not say what its values are", ""};
    describe_recording();
    read_samples();
    if (import_.profile.samples().empty() && (lost_ > 0 || !tables_.damage().empty())) {
      return Error{Failure::failed, "none of its samples could be read", ""};
    }
    if (named_frames_ == 0 && unnamed_frames_ > 0) {
      return Error{Failure::failed, "it has no names for its frames" + because(tables_.damage()), ""};
    }
    std::vector<std::string> warnings;
    if (!tables_.damage().empty()) warnings.push_back("the rest is missing: " + tables_.damage());
    if (lost_ > 0) warnings.push_back(counted(lost_, "sample") + " damaged and left out");
    if (unnamed_frames_ > 0) warnings.push_back(counted(unnamed_frames_, "frame") + " without a name");
    if (choice_.is_odd) {
      const PprofValueType& type = tables_.sample_types()[*choice_.ticks];
      warnings.push_back("its numbers are " + clean(type.type) + " (" + clean(type.unit) +
                         "), not time: they are shown as counts");
    }
    return ReadProfile{std::move(import_.profile), std::move(warnings)};
  }

 private:
  static std::string because(const std::string& damage) { return damage.empty() ? "" : ": " + damage; }

  void describe_recording() {
    profile::Recording& recording = import_.profile.recording;
    recording.start_unix_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(tables_.time_ns(), 0));
    recording.duration_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(tables_.duration_ns(), 0));
    const std::uint64_t factor = nanoseconds_in(tables_.period_type().unit);
    if (factor > 0 && tables_.period() > 0) {
      period_ns_ = static_cast<double>(tables_.period()) * static_cast<double>(factor);
      recording.rate_hz = 1e9 / period_ns_;
    }
    const std::string_view type = choice_.time ? tables_.sample_types()[*choice_.time].type : "";
    // Of `wall` nobody knows which samples were idle.
    if (type == "cpu") recording.mode = profile::Mode::cpu;
    if (type == "gil") recording.mode = profile::Mode::gil;
    if (type == "cpu") state_ = stack::kOnCpu;
    if (type == "gil") state_ = stack::kHoldsGil;
    describe_command();
  }

  void describe_command() {
    std::optional<std::string_view> command;
    for (const std::string_view comment : tables_.comments()) {
      is_ours_ = is_ours_ || comment.starts_with("flametap ");
      if (!command && comment.starts_with("command: ")) command = comment.substr(9);
    }
    if (!command && !is_ours_) command = tables_.first_mapping();
    import_.name_process(std::string(command.value_or("").substr(0, kMaxNameBytes)));
  }

  void read_samples() {
    try {
      protozero::pbf_message<proto::Profile> message(content_.data(), content_.size());
      while (message.next(proto::Profile::sample, protozero::pbf_wire_type::length_delimited)) {
        if (!read_sample(message.get_view())) ++lost_;
      }
    } catch (const protozero::exception&) {
      // The tables have noticed the same damage: it is told once.
    }
  }

  bool read_sample(const protozero::data_view& view) {
    sample_.locations.clear();
    sample_.values.clear();
    sample_.thread = {};
    try {
      protozero::pbf_message<proto::Sample> message(view);
      while (message.next()) {
        if (message.tag() == proto::Sample::location_id) {
          append_numbers(message, sample_.locations, kMaxStackDepth);
        } else if (message.tag() == proto::Sample::value) {
          append_numbers(message, sample_.values, kMaxValues);
        } else if (message.tag() == proto::Sample::label) {
          read_label(get_bytes(message));
        } else {
          message.skip();
        }
      }
    } catch (const protozero::exception&) {
      return false;
    }
    return add_sample();
  }

  void read_label(std::string_view content) {
    std::string_view key;
    std::string_view text;
    std::int64_t number = 0;
    protozero::pbf_message<proto::Label> message(content.data(), content.size());
    while (message.next()) {
      switch (message.tag()) {
        case proto::Label::key:
          key = tables_.text(get_signed(message));
          break;
        case proto::Label::str:
          text = tables_.text(get_signed(message));
          break;
        case proto::Label::num:
          number = get_signed(message);
          break;
        default:
          message.skip();
      }
    }
    if (number == 0) number = static_cast<std::int64_t>(parse_number<std::uint64_t>(text).value_or(0));
    ThreadParts& thread = sample_.thread;
    if (key == "thread id" || key == "thread_id" || key == "tid") thread.id = static_cast<std::uint64_t>(number);
    if (key == "thread name" || key == "thread_name" || key == "thread") thread.name = text.substr(0, kMaxNameBytes);
    if (key == "pid" || key == "process_id" || key == "process id") {
      const bool fits = number > 0 && number <= std::numeric_limits<std::int32_t>::max();
      thread.pid = fits ? static_cast<std::int32_t>(number) : 0;
    }
  }

  // The value at that place, if there is one; a difference of two profiles has negative ones, which cannot be shown.
  std::optional<std::uint64_t> value(const std::optional<std::size_t>& place, std::uint64_t factor) const {
    if (!place) return 0;
    if (*place >= sample_.values.size() || sample_.values[*place] < 0) return std::nullopt;
    const auto number = static_cast<std::uint64_t>(sample_.values[*place]);
    return number <= kMaxSum / factor ? std::optional(number * factor) : std::nullopt;
  }

  bool add_sample() {
    const std::optional<std::uint64_t> weight = value(choice_.time, choice_.factor);
    std::optional<std::uint64_t> ticks = value(choice_.ticks, 1);
    if (!weight || !ticks) return false;
    if (!choice_.ticks && period_ns_ > 0) {
      ticks = static_cast<std::uint64_t>(static_cast<double>(*weight) / period_ns_ + 0.5);
    }
    const std::optional<StackId> stack = stack_of(sample_.locations);
    if (!stack) return false;
    const std::optional<profile::ThreadId> thread = import_.thread(sample_.thread);
    if (!thread) return false;
    return import_.add(
        {.time_ns = 0, .weight_ns = *weight, .thread = *thread, .stack = *stack, .ticks = *ticks, .state = state_});
  }

  std::optional<StackId> stack_of(std::span<const std::uint64_t> locations) {
    std::optional<StackId> stack = profile::kEmptyStack;
    for (std::size_t i = locations.size(); i-- > 0;) {
      for (const profile::FrameId frame : frames_at(locations[i])) {
        stack = import_.push(*stack, frame);
        if (!stack) return std::nullopt;
      }
    }
    return stack;
  }

  // What the program was doing at a location, the outermost call first; found once for each.
  const std::vector<profile::FrameId>& frames_at(std::uint64_t id) {
    const auto [place, is_new] = frames_.try_emplace(id);
    if (!is_new) return place->second;
    const PprofLocation* location = tables_.location(id);
    if (location != nullptr) {
      const profile::FrameKind kind = kind_of(*location);
      for (std::size_t i = location->lines.size(); i-- > 0;) {
        const bool is_inlined = kind == profile::FrameKind::native && i + 1 < location->lines.size();
        place->second.push_back(
            frame_of(location->lines[i], *location, is_inlined ? profile::FrameKind::inlined : kind));
      }
    }
    if (place->second.empty()) place->second.push_back(unnamed_frame(location));
    return place->second;
  }

  // Only compiled code has addresses, and calls within one place. Ours says it by the mapping.
  profile::FrameKind kind_of(const PprofLocation& location) const {
    if (tables_.mapping_file(location.mapping).starts_with("[kernel")) return profile::FrameKind::kernel;
    const bool is_code = is_ours_ ? location.mapping > 1 : location.address != 0 || location.lines.size() > 1;
    return is_code ? profile::FrameKind::native : profile::FrameKind::python;
  }

  // An agent that sees both has addresses for Python, too.
  bool is_python(std::string_view file) const {
    return !is_ours_ && (file.ends_with(".py") || (file.starts_with('<') && file.ends_with('>')));
  }

  void set_kind(FrameParts& parts, const PprofLocation& location, profile::FrameKind kind) const {
    if (kind == profile::FrameKind::python || is_python(parts.file)) {
      if (parts.file.empty() && is_marker(parts.name)) parts.kind = profile::FrameKind::marker;
      return;
    }
    const bool is_kernel = kind == profile::FrameKind::kernel;
    parts.kind = kind;
    parts.module = is_kernel ? profile::kKernelModule : tables_.mapping_file(location.mapping);
    if (is_ours_ && parts.module == proto::kNativeMapping) parts.module = "";
    if (parts.file.empty()) parts.file = parts.module;
  }

  profile::FrameId frame_of(const PprofLine& line, const PprofLocation& location, profile::FrameKind kind) {
    const PprofFunction* function = tables_.function(line.function);
    if (function == nullptr || function->name.empty()) return unnamed_frame(nullptr);
    ++named_frames_;
    FrameParts parts{
        .name = function->name, .file = function->file, .line = line.line, .first_line = function->first_line};
    set_kind(parts, location, kind);
    return import_.frame(parts);
  }

  // An address in a program that nobody looked up is its name; where there is none either, our word says so.
  profile::FrameId unnamed_frame(const PprofLocation* location) {
    if (location == nullptr || location->address == 0) {
      ++unnamed_frames_;
      return import_.frame({.name = "(unknown)", .kind = profile::FrameKind::marker});
    }
    ++named_frames_;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), location->address, 16);
    const std::string name = "0x" + std::string(digits.data(), end.ptr);
    FrameParts parts{.name = name};
    set_kind(parts, *location, kind_of(*location));
    return import_.frame(parts);
  }

  std::string_view content_;
  const PprofTables& tables_;
  Choice choice_;
  ProfileImport import_;
  RawSample sample_;
  bool is_ours_ = false;  // flametap wrote it
  std::unordered_map<std::uint64_t, std::vector<profile::FrameId>> frames_;
  double period_ns_ = 0;
  stack::State state_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t named_frames_ = 0;
  std::uint64_t unnamed_frames_ = 0;
};

}  // namespace

// No magic number: it is one if its first fields have the numbers and types of profile.proto's, and bytes that no text
// has.
bool looks_like_pprof(std::string_view content) {
  constexpr std::size_t kHead = 256;
  constexpr int kFields = 8;
  const std::string_view head = content.substr(0, kHead);
  if (std::none_of(head.begin(), head.end(), [](char c) { return c >= 0 && c < '\t'; })) return false;
  try {
    protozero::pbf_reader reader(content.data(), content.size());
    for (int i = 0; i < kFields && reader.next(); ++i) {
      const bool is_message = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
      const bool is_number = reader.wire_type() == protozero::pbf_wire_type::varint;
      const std::uint32_t tag = reader.tag();
      const bool is_ours = is_message ? tag <= 6 || tag == 11 || tag == 13 : is_number && tag >= 7 && tag <= 15;
      if (!is_ours) return false;
      reader.skip();
    }
    return true;
  } catch (const protozero::exception&) {
    return false;
  }
}

Result<ReadProfile> read_pprof(std::string_view content, const ReadOptions& options) {
  if (content.size() > kMaxFileBytes) return Error{Failure::failed, "larger than 1 GiB", ""};
  const PprofTables tables(content);
  return PprofReader(content, tables, options).read();
}

}  // namespace flametap::format

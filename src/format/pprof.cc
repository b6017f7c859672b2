#include "format/pprof.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <protozero/pbf_builder.hpp>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "format/gzip.h"
#include "format/profile_proto.h"
#include "format/text.h"

namespace flametap::format {
namespace {

using profile::Profile;
using profile::Sample;

enum class TextIndex : std::uint32_t {};  // a place in profile.proto's string table
enum class ModuleIndex : std::uint32_t {};

// What stands at one place of the program: a frame, and in front of it what the compiler put into it, innermost first.
using Group = std::vector<profile::FrameId>;
constexpr std::size_t kMaxGroup = 128;  // a file may claim that everything is inlined

// Writes one profile. Ids in profile.proto begin at 1, so each is ours plus one.
class PprofWriter {
 public:
  explicit PprofWriter(const Profile& profile) : profile_(profile), alone_(profile.frame_count()) {
    text("");  // the format wants it first
  }

  std::string write() && {
    write_sample_types();
    write_samples();
    write_locations();
    write_mappings();
    write_functions();
    write_recording();
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      builder_.add_string(proto::Profile::string_table, texts_[TextIndex(i)]);
    }
    return std::move(content_);
  }

 private:
  std::int64_t text(std::string_view words) { return static_cast<std::int64_t>(texts_.intern(clean(words))); }

  static std::uint64_t id(auto ours) { return static_cast<std::uint64_t>(ours) + 1; }

  // What the second value of a sample counts: the time of that mode.
  std::string_view time_type() const {
    return profile_.recording.mode == profile::Mode::unknown ? "wall" : name(profile_.recording.mode);
  }

  void write_value_type(proto::Profile field, std::string_view type, std::string_view unit) {
    protozero::pbf_builder<proto::ValueType> value_type(builder_, field);
    value_type.add_int64(proto::ValueType::type, text(type));
    value_type.add_int64(proto::ValueType::unit, text(unit));
  }

  void write_sample_types() {
    write_value_type(proto::Profile::sample_type, "samples", "count");
    write_value_type(proto::Profile::sample_type, time_type(), "nanoseconds");
    if (profile_.recording.rate_hz > 0) {
      write_value_type(proto::Profile::period_type, time_type(), "nanoseconds");
      constexpr double kLongest = 1e18;  // a file may claim any rate, and the period must fit
      const double period = std::min(1e9 / profile_.recording.rate_hz, kLongest);
      builder_.add_int64(proto::Profile::period, static_cast<std::int64_t>(period));
    }
    const bool timed = profile_.total_weight_ns() > 0;
    builder_.add_int64(proto::Profile::default_sample_type, text(timed ? time_type() : "samples"));
  }

  // The format knows no time of a sample: those of one thread and stack are one.
  void write_samples() {
    std::vector<Sample> samples = profile_.samples();
    const auto key = [](const Sample& sample) {
      return static_cast<std::uint64_t>(sample.thread) << 32 | static_cast<std::uint64_t>(sample.stack);
    };
    std::sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < samples.size();) {
      Sample sum = samples[i];
      for (++i; i < samples.size() && key(samples[i]) == key(sum); ++i) {
        sum.ticks += samples[i].ticks;
        sum.weight_ns += samples[i].weight_ns;
      }
      write_sample(sum);
    }
  }

  // From the leaf on.
  void find_locations(profile::StackId stack) {
    locations_.clear();
    for (; stack != profile::kEmptyStack; stack = profile_.stack(stack).parent) {
      const profile::FrameId frame = profile_.stack(stack).frame;
      if (!group_.empty() && !is_in(group_.back(), frame)) end_group();
      group_.push_back(frame);
      const bool goes_on = profile_.kind(frame) == profile::FrameKind::inlined && group_.size() < kMaxGroup;
      if (!goes_on) end_group();
    }
    if (!group_.empty()) end_group();
  }

  // Whether the function can be inlined in that one: they are of one program or library.
  bool is_in(profile::FrameId inlined, profile::FrameId outer) const {
    return is_native(profile_.kind(outer)) && module_of(inlined) == module_of(outer);
  }

  profile::StringId module_of(profile::FrameId frame) const {
    return profile_.function(profile_.frame(frame).function).module;
  }

  void end_group() {
    std::uint64_t& location = group_.size() == 1 ? alone_[static_cast<std::size_t>(group_.front())] : inlined_[group_];
    if (location == 0) {
      groups_.push_back(group_);
      location = groups_.size();
    }
    locations_.push_back(location);
    group_.clear();
  }

  void write_sample(const Sample& sample) {
    find_locations(sample.stack);
    const std::int64_t values[] = {static_cast<std::int64_t>(sample.ticks),
                                   static_cast<std::int64_t>(sample.weight_ns)};
    const profile::Thread& thread = profile_.thread(sample.thread);
    protozero::pbf_builder<proto::Sample> message(builder_, proto::Profile::sample);
    message.add_packed_uint64(proto::Sample::location_id, locations_.begin(), locations_.end());
    message.add_packed_int64(proto::Sample::value, std::begin(values), std::end(values));
    write_label(message, "pid", profile_.process(thread.process).pid);
    write_label(message, "thread id", static_cast<std::int64_t>(thread.id));
    write_label(message, "thread name", thread.name);
  }

  void write_label(protozero::pbf_builder<proto::Sample>& sample, std::string_view name, std::int64_t number) {
    if (number == 0) return;  // not known
    protozero::pbf_builder<proto::Label> label(sample, proto::Sample::label);
    label.add_int64(proto::Label::key, text(name));
    label.add_int64(proto::Label::num, number);
  }

  void write_label(protozero::pbf_builder<proto::Sample>& sample, std::string_view name, const std::string& words) {
    if (words.empty()) return;
    protozero::pbf_builder<proto::Label> label(sample, proto::Sample::label);
    label.add_int64(proto::Label::key, text(name));
    label.add_int64(proto::Label::str, text(words));
  }

  void write_locations() {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      protozero::pbf_builder<proto::Location> location(builder_, proto::Profile::location);
      location.add_uint64(proto::Location::id, i + 1);
      location.add_uint64(proto::Location::mapping_id, mapping_of(groups_[i].back()));
      for (const profile::FrameId frame : groups_[i]) {
        protozero::pbf_builder<proto::Line> line(location, proto::Location::line);
        line.add_uint64(proto::Line::function_id, id(profile_.frame(frame).function));
        line.add_int64(proto::Line::line, profile_.frame(frame).line);
      }
    }
  }

  // The first mapping is that of all Python.
  std::uint64_t mapping_of(profile::FrameId frame) {
    switch (profile_.kind(frame)) {
      case profile::FrameKind::native:
      case profile::FrameKind::inlined:
        return static_cast<std::uint64_t>(modules_.intern(profile_.text(module_of(frame)))) + 2;
      case profile::FrameKind::kernel:
        return static_cast<std::uint64_t>(modules_.intern(profile::kKernelModule)) + 2;
      case profile::FrameKind::python:
      case profile::FrameKind::marker:
        break;
    }
    return 1;
  }

  // They tell readers that names, files and lines are known and there is no binary to look for.
  void write_mappings() {
    const std::string command = command_text(profile_);
    write_mapping(1, command.substr(0, command.find(' ')), proto::kPythonMapping);
    for (std::uint64_t i = 0; i < modules_.size(); ++i) {
      write_mapping(i + 2, modules_[static_cast<ModuleIndex>(i)], proto::kNativeMapping);
    }
  }

  // Where there are several, readers take those without a file for a part of the next one.
  void write_mapping(std::uint64_t mapping_id, std::string_view file, std::string_view instead) {
    if (file.empty() && modules_.size() > 0) file = instead;
    protozero::pbf_builder<proto::Mapping> mapping(builder_, proto::Profile::mapping);
    mapping.add_uint64(proto::Mapping::id, mapping_id);
    mapping.add_int64(proto::Mapping::filename, text(file));
    mapping.add_bool(proto::Mapping::has_functions, true);
    mapping.add_bool(proto::Mapping::has_filenames, true);
    mapping.add_bool(proto::Mapping::has_line_numbers, true);
    if (mapping_id > 1) mapping.add_bool(proto::Mapping::has_inline_frames, true);
  }

  void write_functions() {
    for (std::size_t i = 0; i < profile_.function_count(); ++i) {
      const profile::Function& function = profile_.function(profile::FunctionId(i));
      protozero::pbf_builder<proto::Function> message(builder_, proto::Profile::function);
      message.add_uint64(proto::Function::id, id(i));
      message.add_int64(proto::Function::name, text(profile_.text(function.name)));
      message.add_int64(proto::Function::system_name, text(profile_.text(function.name)));
      message.add_int64(proto::Function::filename, text(profile_.text(function.file)));
      message.add_int64(proto::Function::start_line, function.first_line);
    }
  }

  void write_recording() {
    const profile::Recording& recording = profile_.recording;
    builder_.add_int64(proto::Profile::time_nanos, static_cast<std::int64_t>(recording.start_unix_ns));
    builder_.add_int64(proto::Profile::duration_nanos, static_cast<std::int64_t>(recording.duration_ns));
    std::vector<std::int64_t> comments;
    for (const profile::Process& process : profile_.processes()) {
      if (!process.command.empty()) comments.push_back(text("command: " + process.command));
    }
    comments.push_back(text(exporter()));
    for (const std::string& words : {recording_text(profile_), quality_text(profile_)}) {
      if (!words.empty()) comments.push_back(text(words));
    }
    builder_.add_packed_int64(proto::Profile::comment, comments.begin(), comments.end());
  }

  const Profile& profile_;
  std::string content_;
  protozero::pbf_builder<proto::Profile> builder_{content_};
  Interner<std::string, TextIndex> texts_;
  std::vector<std::uint64_t> locations_;        // of one sample
  Group group_;                                 // the one that is being put together
  std::vector<Group> groups_;                   // all of them: the location of each is its place plus one
  std::vector<std::uint64_t> alone_;            // by frame: its location, 0: none
  std::map<Group, std::uint64_t> inlined_;      // the locations of groups of several frames
  Interner<std::string, ModuleIndex> modules_;  // the mapping of each is its place plus two
};

}  // namespace

std::string write_pprof(const Profile& profile) { return gzip(PprofWriter(profile).write()); }

}  // namespace flametap::format

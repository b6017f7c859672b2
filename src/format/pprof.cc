#include "format/pprof.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// Writes one profile. Ids in profile.proto begin at 1, so each is ours plus one.
class PprofWriter {
 public:
  explicit PprofWriter(const Profile& profile) : profile_(profile) { text(""); }  // the format wants "" first

  std::string write() && {
    write_sample_types();
    write_samples();
    write_mapping();
    write_locations();
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

  void write_sample(const Sample& sample) {
    locations_.clear();
    for (profile::StackId at = sample.stack; at != profile::kEmptyStack; at = profile_.stack(at).parent) {
      locations_.push_back(id(profile_.stack(at).frame));
    }
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

  // One for all: it tells readers that names, files and lines are known and there is no binary to look for.
  void write_mapping() {
    const std::string command = command_text(profile_);
    protozero::pbf_builder<proto::Mapping> mapping(builder_, proto::Profile::mapping);
    mapping.add_uint64(proto::Mapping::id, 1);
    mapping.add_int64(proto::Mapping::filename, text(command.substr(0, command.find(' '))));
    mapping.add_bool(proto::Mapping::has_functions, true);
    mapping.add_bool(proto::Mapping::has_filenames, true);
    mapping.add_bool(proto::Mapping::has_line_numbers, true);
  }

  void write_locations() {
    for (std::size_t i = 0; i < profile_.frame_count(); ++i) {
      const profile::Frame& frame = profile_.frame(profile::FrameId(i));
      protozero::pbf_builder<proto::Location> location(builder_, proto::Profile::location);
      location.add_uint64(proto::Location::id, id(i));
      location.add_uint64(proto::Location::mapping_id, 1);
      protozero::pbf_builder<proto::Line> line(location, proto::Location::line);
      line.add_uint64(proto::Line::function_id, id(frame.function));
      line.add_int64(proto::Line::line, frame.line);
    }
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
  std::vector<std::uint64_t> locations_;
};

}  // namespace

std::string write_pprof(const Profile& profile) { return gzip(PprofWriter(profile).write()); }

}  // namespace flametap::format

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <utility>
#include <vector>

#include "format/folded.h"
#include "format/gzip.h"
#include "format/pprof.h"
#include "format/profile_proto.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A file as other producers write it: the tables behind the samples, unpacked numbers, inlined calls.
class File {
 public:
  File() { text(""); }

  File& value_type(const std::string& type, const std::string& unit,
                   proto::Profile field = proto::Profile::sample_type) {
    protozero::pbf_builder<proto::ValueType> message(builder_, field);
    message.add_int64(proto::ValueType::type, text(type));
    message.add_int64(proto::ValueType::unit, text(unit));
    return *this;
  }

  File& sample(const std::vector<std::uint64_t>& locations, const std::vector<std::int64_t>& values) {
    protozero::pbf_builder<proto::Sample> message(builder_, proto::Profile::sample);
    for (const std::uint64_t location : locations) message.add_uint64(proto::Sample::location_id, location);
    for (const std::int64_t value : values) message.add_int64(proto::Sample::value, value);
    for (const auto& [key, value] : labels_) {
      protozero::pbf_builder<proto::Label> label(message, proto::Sample::label);
      label.add_int64(proto::Label::key, text(key));
      label.add_int64(proto::Label::str, text(value));
    }
    return *this;
  }

  File& labels(std::vector<std::pair<std::string, std::string>> labels) {
    labels_ = std::move(labels);
    return *this;
  }

  // Lines are functions, the innermost first.
  File& location(std::uint64_t id, const std::vector<std::uint64_t>& functions, std::uint64_t address = 0,
                 std::uint64_t mapping_id = 0) {
    protozero::pbf_builder<proto::Location> message(builder_, proto::Profile::location);
    message.add_uint64(proto::Location::id, id);
    if (address != 0) message.add_uint64(proto::Location::address, address);
    if (mapping_id != 0) message.add_uint64(proto::Location::mapping_id, mapping_id);
    for (const std::uint64_t function : functions) {
      protozero::pbf_builder<proto::Line> line(message, proto::Location::line);
      line.add_uint64(proto::Line::function_id, function);
      line.add_int64(proto::Line::line, 10);
    }
    return *this;
  }

  File& mapping(std::uint64_t id, const std::string& file) {
    protozero::pbf_builder<proto::Mapping> message(builder_, proto::Profile::mapping);
    message.add_uint64(proto::Mapping::id, id);
    message.add_int64(proto::Mapping::filename, text(file));
    return *this;
  }

  File& function(std::uint64_t id, const std::string& name) {
    protozero::pbf_builder<proto::Function> message(builder_, proto::Profile::function);
    message.add_uint64(proto::Function::id, id);
    message.add_int64(proto::Function::name, text(name));
    message.add_int64(proto::Function::filename, text("/src/" + name + ".go"));
    return *this;
  }

  File& number(proto::Profile field, std::int64_t number) {
    builder_.add_int64(field, number);
    return *this;
  }

  // main, f and g, of which g is inlined into f.
  File& usual_functions() {
    return location(1, {1}).location(2, {3, 2}).function(1, "main").function(2, "f").function(3, "g");
  }

  std::string bytes() {
    std::string content = content_;
    protozero::pbf_builder<proto::Profile> builder(content);
    for (const std::string& words : strings_) builder.add_string(proto::Profile::string_table, words);
    return content;
  }

 private:
  std::int64_t text(const std::string& words) {
    strings_.push_back(words);
    return static_cast<std::int64_t>(strings_.size() - 1);
  }

  std::string content_;
  protozero::pbf_builder<proto::Profile> builder_{content_};
  std::vector<std::string> strings_;
  std::vector<std::pair<std::string, std::string>> labels_;
};

ReadProfile read_or_fail(const std::string& bytes) {
  EXPECT_TRUE(looks_like_pprof(bytes));
  Result<ReadProfile> result = read_pprof(bytes);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(*result) : ReadProfile{};
}

TEST(ReadPprof, OfGo) {
  File file;
  file.number(proto::Profile::time_nanos, 1'000).value_type("samples", "count").value_type("cpu", "nanoseconds");
  file.sample({2, 1}, {3, 30'000'000}).sample({1}, {1, 10'000'000}).usual_functions();
  file.value_type("cpu", "nanoseconds", proto::Profile::period_type).number(proto::Profile::period, 10'000'000);
  const ReadProfile go = read_or_fail(file.bytes());
  EXPECT_THAT(go.warnings, IsEmpty());
  EXPECT_EQ(write_folded(go.profile),
            "main (/src/main.go:10) 1\n"
            "main (/src/main.go:10);f (/src/f.go:10)_[n];g (/src/g.go:10)_[i] 3\n");
  EXPECT_EQ(go.profile.total_weight_ns(), 40'000'000u);
  EXPECT_EQ(go.profile.recording.rate_hz, 100);
  EXPECT_EQ(go.profile.recording.start_unix_ns, 1'000u);
  EXPECT_EQ(go.profile.recording.mode, profile::Mode::cpu);
  EXPECT_EQ(go.profile.samples()[0].state, stack::kOnCpu);
}

TEST(ReadPprof, TimeAloneGivesTicksByThePeriod) {
  File file;
  file.value_type("wall", "microseconds").sample({1}, {25'000}).usual_functions();
  EXPECT_EQ(read_or_fail(file.bytes()).profile.total_ticks(), 0u) << "not known";
  file.value_type("wall", "milliseconds", proto::Profile::period_type).number(proto::Profile::period, 10);
  const ReadProfile timed = read_or_fail(file.bytes());
  EXPECT_EQ(timed.profile.total_weight_ns(), 25'000'000u);
  EXPECT_EQ(timed.profile.total_ticks(), 3u);
  EXPECT_EQ(timed.profile.recording.mode, profile::Mode::unknown);
}

TEST(ReadPprof, MemoryIsNotTime) {
  File file;
  file.value_type("inuse_objects", "count").value_type("inuse_space", "bytes");
  file.sample({1}, {3, 4096}).usual_functions();
  const ReadProfile heap = read_or_fail(file.bytes());
  EXPECT_EQ(heap.profile.total_ticks(), 4096u);
  EXPECT_THAT(heap.warnings, ElementsAre("its numbers are inuse_space (bytes), not time: they are shown as counts"));
}

TEST(ReadPprof, ThreadsByTheirLabels) {
  File file;
  file.value_type("samples", "count");
  file.labels({{"thread_id", "71"}, {"thread_name", "w"}, {"pid", "70"}}).sample({1}, {1}).sample({2}, {1});
  file.labels({{"tid", "72"}, {"pid", "70"}}).sample({1}, {1}).usual_functions();
  const profile::Profile profile = read_or_fail(file.bytes()).profile;
  ASSERT_EQ(profile.threads().size(), 2u);
  EXPECT_EQ(profile.threads()[0].id, 71u);
  EXPECT_EQ(profile.threads()[0].name, "w");
  EXPECT_EQ(profile.threads()[1].id, 72u);
  ASSERT_EQ(profile.processes().size(), 1u);
  EXPECT_EQ(profile.processes()[0].pid, 70);
}

TEST(ReadPprof, TheMappingTellsLibraryAndKernel) {
  File file;
  file.value_type("samples", "count").sample({3, 2, 1}, {2}).mapping(1, "/usr/lib/libz.so.1");
  file.mapping(2, "[kernel.kallsyms]").location(1, {1}, 0x10, 1).location(2, {2}, 0xff10, 2);
  file.location(3, {}, 0xff20, 2).function(1, "inflate").function(2, "do_read");
  const profile::Profile profile = read_or_fail(file.bytes()).profile;
  EXPECT_EQ(write_folded(profile), "inflate (/src/inflate.go:10)_[n];do_read (/src/do_read.go:10)_[k];0xff20_[k] 2\n");
  const profile::Function& inflate = profile.function(profile::FunctionId{0});
  EXPECT_EQ(profile.text(inflate.module), "/usr/lib/libz.so.1");
}

TEST(ReadPprof, AddressesThatNobodyLookedUp) {
  File file;
  file.value_type("samples", "count").sample({5, 1}, {2}).location(5, {}, 0xabc0).usual_functions();
  EXPECT_EQ(write_folded(read_or_fail(file.bytes()).profile), "main (/src/main.go:10);0xabc0_[n] 2\n");
}

TEST(ReadPprof, DamageIsCounted) {
  File file;
  file.value_type("samples", "count").sample({1}, {2}).sample({99, 1}, {1}).sample({1}, {}).sample({1}, {-4});
  file.usual_functions();
  const ReadProfile damaged = read_or_fail(file.bytes());
  EXPECT_EQ(damaged.profile.total_ticks(), 3u);
  EXPECT_THAT(damaged.warnings, ElementsAre("2 samples were damaged and left out", "1 frame was without a name"));
}

TEST(ReadPprof, CutOffAnywhereItIsReadOrRefusedWithAReason) {
  File file;
  file.value_type("samples", "count").usual_functions();
  const std::string bytes = file.bytes() + File().sample({1}, {2}).sample({2, 1}, {3}).bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<ReadProfile> read = read_pprof(std::string_view(bytes).substr(0, size));
    EXPECT_TRUE(read.ok() ? read->profile.total_ticks() <= 5 : !read.error().message.empty());
  }
  const Result<ReadProfile> read = read_pprof(std::string_view(bytes).substr(0, bytes.size() - 7));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->profile.total_ticks(), 2u);
  EXPECT_THAT(read->warnings, ElementsAre(HasSubstr("it is cut off or damaged")));
}

TEST(ReadPprof, OursComesBack) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {{"f", "/a.py", 3, 2}}, 5);
  test.profile.recording.mode = profile::Mode::gil;
  const ReadProfile again = read_or_fail(gunzip(write_pprof(test.profile)).content);
  EXPECT_EQ(again.profile.threads(), test.profile.threads());
  EXPECT_EQ(again.profile.processes()[0].command, "python a.py");
  EXPECT_EQ(again.profile.recording.mode, profile::Mode::gil);
  EXPECT_EQ(again.profile.function(profile::FunctionId{0}).first_line, 2);
}

TEST(LooksLikePprof, TextDoesNot) {
  for (const std::string_view text : {"", "\n\n\na;b 3\n", "main;f 12\n", "2 3", "{\"a\": 1}", "\n\x04main 1\n"}) {
    EXPECT_FALSE(looks_like_pprof(text)) << text;
  }
}

}  // namespace
}  // namespace flametap::format

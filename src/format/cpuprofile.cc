#include "format/cpuprofile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/json_writer.h"
#include "format/limits.h"
#include "format/text.h"
#include "format/timeline.h"

namespace flametap::format {
namespace {

using profile::Profile;

// A place in the call tree: a function, or a word of ours. Ids begin at 1 in the file, so each is the place of its node
// plus one.
struct Node {
  std::string word = {};  // instead of a function, if it is not empty
  profile::FunctionId function = {};
  std::uint64_t hits = 0;                            // ticks that ended here
  std::map<std::int32_t, std::uint64_t> lines = {};  // the same by line
  std::vector<std::uint32_t> children = {};
};

// A path as viewers open it; what is no absolute path stays as it is.
std::string url_of(std::string_view file) {
  if (!file.starts_with('/')) return std::string(file);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "/-_.~+,:@";
  std::string url = "file://";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_word || kPlain.find(c) != std::string_view::npos) {
      url += c;
    } else {
      url.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return url;
}

class Timeline {
 public:
  explicit Timeline(const Profile& profile) : profile_(profile) {
    nodes_.push_back({.word = "(root)"});
    const auto by_thread = samples_by_thread(profile);
    const auto has_samples = [](const auto& samples) { return !samples.empty(); };
    const bool several = std::count_if(by_thread.begin(), by_thread.end(), has_samples) > 1;
    for (std::size_t i = 0; i < by_thread.size(); ++i) {
      if (by_thread[i].empty()) continue;
      const std::uint32_t root = several ? word_node(0, track_name(profile, profile.threads()[i]), i) : 0;
      add_thread(timeline_of(profile, by_thread[i]), root, several);
    }
    // An end of no length, so that the deltas add up to the whole.
    sample_at(now_ns_, word_node(0, "(idle)"));
  }

  void write(JsonWriter& json) const {
    json.key("nodes").begin_array();
    for (std::size_t i = 0; i < nodes_.size(); ++i) write_node(json, i);
    json.end_array();
    json.member("startTime", start_us()).member("endTime", start_us() + now_ns_ / 1000);
    json.key("samples").begin_array();
    for (const auto& [time, node] : samples_) json.value(node + 1);
    json.end_array();
    json.key("timeDeltas").begin_array();
    std::uint64_t before = 0;
    for (const auto& [time, node] : samples_) {
      json.value(time / 1000 - before);
      before = time / 1000;
    }
    json.end_array();
  }

 private:
  std::uint64_t start_us() const { return profile_.recording.start_unix_ns / 1000; }

  // One thread alone is shown when it ran; one of several begins when the thread before it has ended.
  void add_thread(const std::vector<Span>& spans, std::uint32_t root, bool several) {
    const std::uint64_t origin = several ? spans.front().start_ns : 0;
    const std::uint64_t base = now_ns_;
    for (const Span& span : spans) {
      const std::uint64_t start = std::min(base + (span.start_ns - origin), kMaxSum);
      if (start > now_ns_) sample_at(now_ns_, word_node(root, "(idle)"));  // a gap
      const std::uint32_t node = node_of(*span.sample, root);
      sample_at(start, node);
      now_ns_ = std::min(base + (span.end_ns - origin), kMaxSum);
    }
  }

  void sample_at(std::uint64_t time_ns, std::uint32_t node) { samples_.emplace_back(time_ns, node); }

  std::uint32_t node_of(const profile::Sample& sample, std::uint32_t root) {
    functions_of(profile_, sample, functions_);
    std::uint32_t node = root;
    for (const profile::FunctionId function : functions_) node = function_node(node, function);
    std::string_view word = state_word(profile_, sample);
    if (functions_.empty() && word.empty()) word = kNoFrames;
    if (!word.empty()) node = word_node(node, word);
    nodes_[node].hits += sample.ticks;
    if (word.empty()) {
      const std::int32_t line = profile_.frame(profile_.stack(sample.stack).frame).line;
      if (line > 0) nodes_[node].lines[line] += sample.ticks;
    }
    return node;
  }

  std::uint32_t function_node(std::uint32_t parent, profile::FunctionId function) {
    const std::uint64_t call = std::uint64_t{parent} << 32 | static_cast<std::uint32_t>(function);
    const auto [place, is_new] = calls_.try_emplace(call, next());
    if (is_new) add_node(parent, {.function = function});
    return place->second;
  }

  // `number` tells words of the same text apart, as those of threads of the same name.
  std::uint32_t word_node(std::uint32_t parent, std::string_view word, std::size_t number = 0) {
    const auto [place, is_new] = words_.try_emplace({parent, std::string(word), number}, next());
    if (is_new) add_node(parent, {.word = std::string(word)});
    return place->second;
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(nodes_.size()); }

  void add_node(std::uint32_t parent, Node node) {
    nodes_[parent].children.push_back(next());
    nodes_.push_back(std::move(node));
  }

  void write_call_frame(JsonWriter& json, const Node& node) const {
    const profile::Function* function = node.word.empty() ? &profile_.function(node.function) : nullptr;
    json.key("callFrame").begin_object();
    json.member("functionName", function != nullptr ? profile_.text(function->name) : std::string_view(node.word));
    json.member("scriptId", "0").member("url", function != nullptr ? url_of(profile_.text(function->file)) : "");
    json.member("lineNumber", function != nullptr ? function->first_line - 1 : -1).member("columnNumber", -1);
    if (function != nullptr && function->kind > profile::FrameKind::marker) json.member("kind", name(function->kind));
    json.end_object();
  }

  void write_node(JsonWriter& json, std::size_t number) const {
    const Node& node = nodes_[number];
    json.begin_object().member("id", number + 1);
    write_call_frame(json, node);
    json.member("hitCount", node.hits);
    json.key("children").begin_array();
    for (const std::uint32_t child : node.children) json.value(child + 1);
    json.end_array();
    if (!node.lines.empty()) {
      json.key("positionTicks").begin_array();
      for (const auto& [line, ticks] : node.lines) {
        json.begin_object().member("line", line).member("ticks", ticks).end_object();
      }
      json.end_array();
    }
    json.end_object();
  }

  const Profile& profile_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> calls_;  // by parent and function
  std::map<std::tuple<std::uint32_t, std::string, std::size_t>, std::uint32_t> words_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> samples_;  // when each begins, and its node
  std::vector<profile::FunctionId> functions_;
  std::uint64_t now_ns_ = 0;
};

}  // namespace

std::string write_cpuprofile(const Profile& profile) {
  JsonWriter json;
  json.begin_object();
  Timeline(profile).write(json);
  json.key("flametap").begin_object();
  json.member("exporter", exporter()).member("command", command_text(profile));
  json.member("recording", recording_text(profile)).member("quality", quality_text(profile));
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace flametap::format

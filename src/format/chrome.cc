#include "format/chrome.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/json_writer.h"
#include "format/text.h"
#include "format/timeline.h"

namespace flametap::format {
namespace {

using profile::FunctionId;
using profile::Profile;

// A call of a function, or a state of the thread, as long as it was seen without a break.
struct Slice {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint32_t depth;
  std::uint32_t track;
  FunctionId function;
  std::string_view word;  // instead of a function, if it is not empty
};

constexpr std::uint64_t kNoKernelId = std::uint64_t{1} << 30;  // the kernel's own are below it, viewers take 32 bits

// Ids as they are, as far as they are known and different; viewers take things of one id for one thing.
class Ids {
 public:
  std::uint64_t unique(std::uint64_t wanted) {
    if (wanted != 0 && taken_.insert(wanted).second) return wanted;
    while (!taken_.insert(next_).second) ++next_;
    return next_;
  }

 private:
  std::unordered_set<std::uint64_t> taken_;
  std::uint64_t next_ = kNoKernelId;
};

// Turns the spans of one thread into slices: what two neighbours have in common goes on.
class Slicer {
 public:
  Slicer(const Profile& profile, std::uint32_t track, std::vector<Slice>& slices)
      : profile_(profile), track_(track), slices_(slices) {}

  void add(const Span& span) {
    if (span.start_ns > end_ns_) close(0);
    functions_of(profile_, *span.sample, functions_);
    std::string_view word = state_word(profile_, *span.sample);
    if (functions_.empty() && word.empty()) word = kNoFrames;
    std::size_t common = 0;
    while (common < open_.size() && common < functions_.size() && is_function(open_[common], functions_[common])) {
      ++common;
    }
    const bool same_word =
        common == functions_.size() && common < open_.size() && !word.empty() && slices_[open_[common]].word == word;
    close(common + (same_word ? 1 : 0));
    for (std::size_t i = common; i < functions_.size(); ++i) open(span.start_ns, functions_[i], "");
    if (!word.empty() && !same_word) open(span.start_ns, FunctionId{}, word);
    end_ns_ = span.end_ns;
  }

  void finish() { close(0); }

 private:
  bool is_function(std::size_t slice, FunctionId function) const {
    return slices_[slice].word.empty() && slices_[slice].function == function;
  }

  void open(std::uint64_t start, FunctionId function, std::string_view word) {
    open_.push_back(slices_.size());
    slices_.push_back({start, start, static_cast<std::uint32_t>(open_.size() - 1), track_, function, word});
  }

  void close(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) slices_[open_.back()].end_ns = end_ns_;
  }

  const Profile& profile_;
  std::uint32_t track_;
  std::vector<Slice>& slices_;
  std::vector<std::size_t> open_;  // places in slices_, the root first
  std::vector<FunctionId> functions_;
  std::uint64_t end_ns_ = 0;
};

struct Track {
  std::uint64_t pid;
  std::uint64_t tid;
};

class ChromeWriter {
 public:
  explicit ChromeWriter(const Profile& profile) : profile_(profile) {}

  std::string write() && {
    json_.begin_object();
    json_.member("displayTimeUnit", "ms");
    write_recording();
    json_.key("traceEvents").begin_array();
    write_tracks();
    for (const Slice& slice : slices()) write_slice(slice);
    json_.end_array();
    json_.end_object();
    return std::move(json_).take();
  }

 private:
  void write_recording() {
    json_.key("otherData").begin_object();
    json_.member("exporter", exporter()).member("command", command_text(profile_));
    json_.member("recording", recording_text(profile_)).member("quality", quality_text(profile_));
    json_.member("start_unix_ns", std::to_string(profile_.recording.start_unix_ns));  // does not fit a double
    json_.end_object();
  }

  void write_name(std::string_view kind, const Track& track, std::string_view name) {
    json_.begin_object().member("name", kind).member("ph", "M").member("pid", track.pid).member("tid", track.tid);
    json_.key("args").begin_object().member("name", name).end_object();
    json_.end_object();
  }

  void write_tracks() {
    Ids pids;
    std::vector<std::uint64_t> process_pids;
    std::vector<Ids> tids(profile_.processes().size());
    for (const profile::Process& process : profile_.processes()) {
      process_pids.push_back(pids.unique(static_cast<std::uint64_t>(std::max(process.pid, 0))));
      const std::string name = process.command.empty() ? "process" : process.command;
      write_name("process_name", {process_pids.back(), 0}, name);
    }
    for (const profile::Thread& thread : profile_.threads()) {
      const auto process = static_cast<std::size_t>(thread.process);
      const std::uint64_t id = thread.id < kNoKernelId ? thread.id : 0;
      tracks_.push_back({process_pids[process], tids[process].unique(id)});
      write_name("thread_name", tracks_.back(), thread.name.empty() ? "thread" : thread.name);
    }
  }

  std::vector<Slice> slices() const {
    std::vector<Slice> slices;
    const auto by_thread = samples_by_thread(profile_);
    for (std::size_t i = 0; i < by_thread.size(); ++i) {
      Slicer slicer(profile_, static_cast<std::uint32_t>(i), slices);
      for (const Span& span : timeline_of(profile_, by_thread[i])) slicer.add(span);
      slicer.finish();
    }
    std::erase_if(slices, [](const Slice& slice) { return slice.start_ns == slice.end_ns; });
    // A call stands before what it calls, which is how viewers nest slices that begin together.
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return std::tuple(a.start_ns, a.track, a.depth) < std::tuple(b.start_ns, b.track, b.depth);
    });
    return slices;
  }

  static double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e3; }

  void write_slice(const Slice& slice) {
    const Track& track = tracks_[slice.track];
    const profile::Function* function = slice.word.empty() ? &profile_.function(slice.function) : nullptr;
    json_.begin_object();
    json_.member("name", function != nullptr ? profile_.text(function->name) : slice.word);
    json_.member("cat", function != nullptr ? name(function->kind) : "state").member("ph", "X");
    json_.member("ts", microseconds(slice.start_ns)).member("dur", microseconds(slice.end_ns - slice.start_ns));
    json_.member("pid", track.pid).member("tid", track.tid);
    if (function != nullptr && !profile_.text(function->file).empty()) {
      json_.key("args").begin_object().member("file", profile_.text(function->file));
      if (function->first_line > 0) json_.member("line", function->first_line);
      const bool has_source = function->module != profile::kEmptyText && function->module != function->file;
      if (has_source) json_.member("module", profile_.text(function->module));
      json_.end_object();
    }
    json_.end_object();
  }

  const Profile& profile_;
  JsonWriter json_;
  std::vector<Track> tracks_;
};

}  // namespace

std::string write_chrome(const Profile& profile) { return ChromeWriter(profile).write(); }

}  // namespace flametap::format

#include "cli/trace_output.h"

#include <optional>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "cli/journal.h"
#include "cli/terminal.h"
#include "tracer/call_profile.h"

namespace flametap::cli {
namespace {

// Text of one of the views, into a file or to standard output.
class TextOutput : public TraceOutput {
 public:
  TextOutput(std::unique_ptr<format::TraceView> view, format::GrowingFile file)
      : view_(std::move(view)), file_(std::move(file)) {}

  void add(const events::Event& event) override {
    if (!failed_) view_->add(event, text_);
    if (text_.size() >= kManyBytes) write();
  }

  Result<void> flush() override {
    if (!failed_) view_->settle(text_);
    write();
    return failed_ ? Result<void>(*failed_) : Result<void>();
  }

  Result<void> finish(const events::Ending& ending) override {
    if (!failed_) view_->finish(ending, text_);
    return flush();
  }

 private:
  static constexpr std::size_t kManyBytes = 1 << 20;

  void write() {
    if (text_.empty() || failed_) return;
    if (const auto written = file_.append(text_); !written) failed_ = written.error();
    text_.clear();
  }

  std::unique_ptr<format::TraceView> view_;
  format::GrowingFile file_;
  std::string text_;
  std::optional<Error> failed_;
};

// A recording, from which every report can be made.
class RecordingOutput : public TraceOutput {
 public:
  RecordingOutput(Journal journal, Nanoseconds began)
      : journal_(std::move(journal)), profile_(journal_.sink(), began, unix_now()) {}

  void add(const events::Event& event) override {
    if (failed_) return;
    newest_ = event.time;
    if (const auto added = profile_.add(event); !added) failed_ = added.error();
  }

  Result<void> flush() override {
    const Nanoseconds now = monotonic_now();
    if (!failed_ && newest_ != 0 && now >= next_checkpoint_) {
      next_checkpoint_ = now + kSecond / 2;
      if (const auto kept = profile_.checkpoint(newest_); !kept) failed_ = kept.error();
    }
    return failed_ ? Result<void>(*failed_) : Result<void>();
  }

  Result<void> finish(const events::Ending& ending) override {
    if (failed_) return *failed_;
    if (const auto finished = profile_.finish(ending, "the trace ended"); !finished) return finished.error();
    return journal_.close();
  }

 private:
  Journal journal_;
  tracer::CallProfile profile_;
  Nanoseconds newest_ = 0;  // of all events so far
  Nanoseconds next_checkpoint_ = 0;
  std::optional<Error> failed_;
};

Result<std::unique_ptr<TraceOutput>> open_recording(const TraceRequest& request, Nanoseconds began) {
  // Calls may take less than a microsecond.
  auto journal = Journal::open({.path = request.output, .format = format::Format::ftap}, request.output, 1);
  if (!journal) return journal.error();
  if (!journal->is_result()) {
    std::ignore = journal->close();
    return Error{Failure::usage, "a recording goes into a file of its own, which " + request.output + " is not", ""};
  }
  return std::unique_ptr<TraceOutput>(std::make_unique<RecordingOutput>(std::move(*journal), began));
}

}  // namespace

Result<std::unique_ptr<TraceOutput>> TraceOutput::open(const TraceRequest& request, Nanoseconds began) {
  if (request.ftap) return open_recording(request, began);
  auto file = format::GrowingFile::create(request.output, format::Existing::replace, "");
  if (!file) return file.error();
  const format::TraceOptions options{.began = began, .colour = request.output == "-" && may_colour()};
  return std::unique_ptr<TraceOutput>(
      std::make_unique<TextOutput>(format::make_trace_view(request.format, options), std::move(*file)));
}

}  // namespace flametap::cli

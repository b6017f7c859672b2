#include "cli/trace_output.h"

#include <utility>

#include "base/clock.h"
#include "cli/terminal.h"

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

}  // namespace

Result<std::unique_ptr<TraceOutput>> TraceOutput::open(const TraceRequest& request) {
  auto file = format::GrowingFile::create(request.output, format::Existing::replace, "");
  if (!file) return file.error();
  const format::TraceOptions options{.began = monotonic_now(), .colour = request.output == "-" && may_colour()};
  return std::unique_ptr<TraceOutput>(
      std::make_unique<TextOutput>(format::make_trace_view(request.format, options), std::move(*file)));
}

}  // namespace flametap::cli

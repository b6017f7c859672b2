#include "cli/report_command.h"

#include <utility>

#include "cli/diagnostics.h"
#include "cli/hottest.h"
#include "cli/output.h"
#include "format/output_file.h"
#include "format/read_any.h"
#include "format/text.h"
#include "profile/filter.h"

namespace flametap::cli {
namespace {

// A recording of everything is shown as `record` shows it; only a format that keeps everything is a whole copy.
std::optional<profile::Mode> mode_of(const ReportRequest& request, const profile::Profile& profile, bool copy) {
  if (request.mode) return request.mode;
  if (profile.recording.mode == profile::Mode::wall && !copy) return profile::Mode::cpu;
  return std::nullopt;
}

// What of the file is needed.
struct Need {
  bool copy = false;  // all of it, whatever the modes are
  bool time = false;  // when each sample was taken
};

Result<profile::Profile> view(const ReportRequest& request, const std::string& file, Need need) {
  auto read = format::read_any(file, {.keep_time = need.time});
  if (!read) return read.error();
  for (const std::string& warning : read->warnings) warn(file + ": " + warning);
  const profile::Profile& profile = read->profile;
  auto shown = profile::filter(profile, {.mode = mode_of(request, profile, need.copy),
                                         .thread = request.thread,
                                         .drop_lines = !request.lines,
                                         .by_thread = request.by_thread});
  if (!shown) return shown.error().within(file);
  return shown;
}

int convert(const ReportRequest& request) {
  if (request.files.size() > 1) {
    return fail({Failure::usage, "several recordings cannot be converted into one file", "convert them one by one"});
  }
  const auto output = plan_output(request.output.empty() ? "-" : request.output, request.format);
  if (!output) return fail(output.error());
  const auto shown =
      view(request, request.files.front(),
           {.copy = format::keeps_everything(output->format), .time = format::keeps_time(output->format)});
  if (!shown) return fail(shown.error());
  const auto written = write(*output, "", format::write(output->format, *shown));
  return written ? 0 : fail(written.error());
}

int show(const ReportRequest& request) {
  std::string text;
  for (const std::string& file : request.files) {
    const auto shown = view(request, file, {});
    if (!shown) return fail(shown.error());
    if (!text.empty()) text += "\n";
    if (request.files.size() > 1) text += file + "\n";
    if (const std::string command = format::command_text(*shown); !command.empty()) text += command + "\n";
    if (const std::string how = format::recording_text(*shown); !how.empty()) text += how + "\n";
    text += format::quality_text(*shown) + "\n\n" + hottest_table(*shown, request.limit);
  }
  const auto written = format::write_output("-", text);
  return written ? 0 : fail(written.error());
}

}  // namespace

int report(const ReportRequest& request) {
  return request.output.empty() && request.format.empty() ? show(request) : convert(request);
}

}  // namespace flametap::cli

#include "cli/report_command.h"

#include <utility>

#include "cli/diagnostics.h"
#include "cli/hottest.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/terminal.h"
#include "format/ftap_writer.h"
#include "format/html.h"
#include "format/output_file.h"
#include "format/text.h"
#include "profile/filter.h"
#include "profile/merge.h"

namespace flametap::cli {
namespace {

// Each in the mode that is shown of it: what one recording calls idle, another may not even have.
Result<profile::Profile> read_and_merge(const ReportRequest& request, Need need) {
  std::vector<profile::Profile> recordings;
  for (const std::string& file : request.files) {
    const auto recording = read_profile(file, need);
    if (!recording) return recording.error();
    auto shown = profile::filter(*recording, {.mode = shown_mode(request.mode, *recording, need)});
    if (!shown) return shown.error().within(file);
    recordings.push_back(std::move(*shown));
  }
  const auto merged = profile::merge(recordings);
  return merged ? merged : merged.error().within("cannot merge the recordings");
}

std::string why_nothing_is_left(const ReportRequest& request) {
  if (!request.thread.empty()) return "no sample of a thread whose name or id matches '" + request.thread + "'";
  if (!request.process.empty()) return "no sample of a process whose command or pid matches '" + request.process + "'";
  if (request.mode == profile::Mode::ready) return "no thread is known to have waited for a CPU";
  return "no thread ran or had the GIL: see what they waited for with --mode wall";
}

Result<profile::Profile> view(const ReportRequest& request, Need need) {
  const bool several = request.files.size() > 1;
  const auto profile = several ? read_and_merge(request, need) : read_profile(request.files.front(), need);
  if (!profile) return profile.error();
  auto shown = profile::filter(*profile, {.mode = several ? std::nullopt : shown_mode(request.mode, *profile, need),
                                          .thread = request.thread,
                                          .process = request.process,
                                          .drop_lines = !request.lines,
                                          .by_thread = request.by_thread});
  if (!shown && !several) return shown.error().within(request.files.front());
  if (shown && profile->samples().size() > 0 && shown->samples().empty()) warn(why_nothing_is_left(request));
  return shown;
}

int convert(const ReportRequest& request) {
  const auto output = plan_output(request.output.empty() ? "-" : request.output, request.format);
  if (!output) return fail(output.error());
  const auto shown =
      view(request, {.copy = format::keeps_everything(output->format), .time = format::keeps_time(output->format)});
  if (!shown) return fail(shown.error());
  const bool page = output->format == format::Format::html;
  const format::Opening opening{.mode = request.mode.value_or(profile::Mode::unknown)};
  const auto written = write(
      *output, "",
      page ? format::html_around(format::write_ftap(*shown), *shown, opening) : format::write(output->format, *shown));
  return end_with(written);
}

int show(const ReportRequest& request) {
  const auto shown = view(request, {});
  if (!shown) return fail(shown.error());
  const Columns columns = output_columns();
  std::string text;
  if (request.files.size() > 1) {
    text += "merged:\n";
    for (const std::string& file : request.files) text += "  " + format::clean(file) + "\n";
  }
  if (const std::string command = format::command_text(*shown); !command.empty())
    text += wrapped(command, columns, 0, 2) + "\n";
  if (const std::string how = format::recording_text(*shown); !how.empty()) text += wrapped(how, columns, 0, 2) + "\n";
  text += wrapped(format::quality_text(*shown), columns, 0, 2) + "\n\n" + hottest_table(*shown, request.limit, columns);
  const auto written = format::write_output("-", text);
  return end_with(written);
}

}  // namespace

int report(const ReportRequest& request) {
  return request.output.empty() && request.format.empty() ? show(request) : convert(request);
}

}  // namespace flametap::cli

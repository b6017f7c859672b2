#include "cli/diff_command.h"

#include <array>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/diff_table.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/terminal.h"
#include "format/folded.h"
#include "format/html.h"
#include "format/output_file.h"
#include "format/text.h"
#include "profile/common.h"
#include "profile/diff.h"
#include "profile/filter.h"

namespace flametap::cli {
namespace {

using format::Format;

struct Pair {
  std::array<profile::Profile, 2> profiles;
  profile::Measures common;

  [[nodiscard]] const profile::Profile& before() const { return profiles[0]; }
  [[nodiscard]] const profile::Profile& after() const { return profiles[1]; }
};

// In the mode that both have samples of, so that what one of them left out does not look like a change.
Result<void> bring_to_one_mode(const DiffRequest& request, Need need, std::array<profile::Profile, 2>& profiles) {
  const std::array<const std::string*, 2> files = {&request.before, &request.after};
  const auto narrow = [&](std::size_t i, std::optional<profile::Mode> mode) -> Result<void> {
    auto shown = profile::filter(profiles[i], {.mode = mode, .drop_lines = !need.copy});
    if (!shown) return shown.error().within(*files[i]);
    profiles[i] = std::move(*shown);
    return {};
  };
  const profile::Mode common = profile::common_mode(profiles);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    // Of a file that does not know its mode all samples count, and those of the other one that are shown of it alone.
    const bool has_one = common != profile::Mode::unknown && common != profile::Mode::wall && !request.mode;
    const auto mode = has_one ? std::optional(common) : shown_mode(request.mode, profiles[i], need);
    if (const auto done = narrow(i, mode); !done) return done;
  }
  return {};
}

Result<Pair> read_pair(const DiffRequest& request, Need need) {
  Pair pair;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& file = i == 0 ? request.before : request.after;
    auto profile = read_profile(file, need);
    if (!profile) return profile.error();
    pair.profiles[i] = std::move(*profile);
  }
  if (const auto done = bring_to_one_mode(request, need, pair.profiles); !done) return done.error();
  const auto common = profile::common_measures(pair.profiles);
  if (!common) return common.error().within("cannot compare the recordings");
  pair.common = *common;
  for (std::size_t i = 0; i < 2; ++i) {
    if (pair.profiles[i].samples().empty())
      warn((i == 0 ? request.before : request.after) + ": there is no sample in it");
  }
  return pair;
}

Error not_for_two(Format format) {
  return {Failure::usage, "a difference cannot be written as " + std::string(format::name(format)),
          "choose html or folded"};
}

int convert(const DiffRequest& request) {
  const auto output = plan_output(request.output.empty() ? "-" : request.output, request.format);
  if (!output) return fail(output.error());
  const bool page = output->format == Format::html;
  if (!page && output->format != Format::folded) return fail(not_for_two(output->format));
  const auto pair = read_pair(request, {.copy = page, .time = page});
  if (!pair) return fail(pair.error());
  const std::string content =
      page ? format::write_html_difference({std::string(format::base_name(request.before)), pair->before()},
                                           {std::string(format::base_name(request.after)), pair->after()},
                                           request.mode.value_or(profile::Mode::unknown))
           : format::write_folded_difference(pair->before(), pair->after());
  const auto written = write(*output, "", content);
  return end_with(written);
}

std::string header_line(const char* label, const std::string& file, const profile::Profile& profile) {
  std::string text = label + format::clean(file);
  if (const std::string how = format::recording_text(profile); !how.empty()) text += " · " + how;
  return wrapped(text + " · " + format::quality_text(profile), output_columns(), 0, 8) + "\n";
}

int show(const DiffRequest& request) {
  const auto pair = read_pair(request, {});
  if (!pair) return fail(pair.error());
  const std::string text =
      header_line("before: ", request.before, pair->before()) + header_line("after:  ", request.after, pair->after()) +
      "\n" + diff_table(difference(pair->before(), pair->after(), pair->common), request.limit, output_columns());
  const auto written = format::write_output("-", text);
  return end_with(written);
}

}  // namespace

int diff(const DiffRequest& request) {
  return request.output.empty() && request.format.empty() ? show(request) : convert(request);
}

}  // namespace flametap::cli

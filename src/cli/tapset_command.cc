#include "cli/tapset_command.h"

#include "cli/diagnostics.h"
#include "cli/marked_target.h"
#include "format/output_file.h"
#include "tracer/abilities.h"

namespace flametap::cli {
namespace {

// Of several files the first counts: a process has one Python, and others only beside it.
format::TapsetTarget to_tapset_target(const MarkedTarget& target) {
  const tracer::MarkedFile& file = target.files.front();
  format::TapsetTarget result{.path = file.open_path,
                              .pid = target.pid,
                              .needs_arming = tracer::tell_abilities(file, target.version).needs_arming};
  if (!target.program.empty() && target.program != file.path) result.program = target.program;
  if (target.version) result.version = to_string(*target.version);
  for (const tracer::Marker& marker : file.markers) result.markers.insert(marker.name);
  return result;
}

}  // namespace

int print_tapset(const std::string& what, format::TapsetLanguage language) {
  const Result<MarkedTarget> target = find_marked_target(what);
  if (!target) return fail(target.error());
  const Result<std::string> text = format::write_tapset(to_tapset_target(*target), language);
  if (!text) return fail(text.error());
  const auto written = format::write_output("-", *text);
  return end_with(written);
}

}  // namespace flametap::cli

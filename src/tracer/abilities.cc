#include "tracer/abilities.h"

#include <algorithm>

namespace flametap::tracer {
namespace {

constexpr std::string_view kFunction = "filename funcname lineno";
constexpr std::array<MarkerKind, 8> kKinds{{
    {"function__entry", EventGroup::call, kFunction},
    {"function__return", EventGroup::call, kFunction},
    {"line", EventGroup::line, kFunction},
    {"gc__start", EventGroup::gc, "generation"},
    {"gc__done", EventGroup::gc, "collected"},
    {"import__find__load__start", EventGroup::import, "modulename"},
    {"import__find__load__done", EventGroup::import, "modulename found"},
    {"audit", EventGroup::audit, "event tuple"},
}};

using OptionalVersion = std::optional<cpython::Version>;

bool is_before(const OptionalVersion& version, int minor) {
  return version && *version < cpython::Version{3, minor, 0};
}

bool is_from(const OptionalVersion& version, int minor) { return version && *version >= cpython::Version{3, minor, 0}; }

bool has_marker(const MarkedFile& file, std::string_view name) {
  return std::any_of(file.markers.begin(), file.markers.end(),
                     [&](const Marker& marker) { return marker.name == name; });
}

// The markers of a group that the file lacks: "gc__start and gc__done".
std::string missing_markers(const MarkedFile& file, EventGroup group) {
  std::string names;
  for (const MarkerKind& kind : kKinds) {
    if (kind.group != group || has_marker(file, kind.name)) continue;
    names += (names.empty() ? "" : " and ") + std::string(kind.name);
  }
  return names;
}

// Why CPython of that version never has these markers; empty if it may have them.
std::string by_version(EventGroup group, const OptionalVersion& version) {
  switch (group) {
    case EventGroup::call:
      if (is_from(version, 12) && is_before(version, 15)) return "CPython 3.12 to 3.14 have no function markers";
      return "";
    case EventGroup::line:
      return is_from(version, 12) ? "CPython has no line marker since 3.12" : "";
    case EventGroup::gc:
      return "";
    case EventGroup::import:
      return is_before(version, 7) ? "the import markers came with CPython 3.7" : "";
    case EventGroup::audit:
      return is_before(version, 8) ? "the audit marker came with CPython 3.8" : "";
  }
  return "";
}

std::string why_missing(const MarkedFile& file, EventGroup group, const OptionalVersion& version) {
  if (file.markers.empty()) return "this Python was built without markers (--with-dtrace)";
  std::string reason = by_version(group, version);
  return reason.empty() ? "this build has no " + missing_markers(file, group) : reason;
}

}  // namespace

std::string_view to_string(EventGroup group) {
  switch (group) {
    case EventGroup::call:
      return "call";
    case EventGroup::line:
      return "line";
    case EventGroup::gc:
      return "gc";
    case EventGroup::import:
      return "import";
    case EventGroup::audit:
      return "audit";
  }
  return "?";
}

std::optional<EventGroup> event_group_named(std::string_view name) {
  const auto found = std::find_if(kEventGroups.begin(), kEventGroups.end(),
                                  [&](EventGroup group) { return to_string(group) == name; });
  return found != kEventGroups.end() ? std::optional(*found) : std::nullopt;
}

const std::array<MarkerKind, 8>& marker_kinds() { return kKinds; }

const MarkerKind* find_marker_kind(std::string_view name) {
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const MarkerKind& kind) { return kind.name == name; });
  return found != kKinds.end() ? &*found : nullptr;
}

bool marks_more_than_calls(cpython::Version version) { return is_from(version, 15); }

namespace {

// 3.11 runs calls of Python by Python without coming past its entry marker, unless it traces lines.
void tell_of_311(const MarkedFile& file, Abilities& abilities) {
  Ability& call = abilities.all[static_cast<std::size_t>(EventGroup::call)];
  Ability& line = abilities.all[static_cast<std::size_t>(EventGroup::line)];
  if (file.debug_build) {
    const std::string why = "a debug build of 3.11 ends itself (a failed assertion) when its line marker is armed";
    for (Ability* const ability : {&call, &line}) {
      if (ability->available) *ability = {ability->group, false, why};
    }
    return;
  }
  if (!call.available) return;
  abilities.needs_arming = has_marker(file, "line");
  call.available = abilities.needs_arming;
  call.why = call.available
                 ? "3.11 tells calls only while its line marker is armed, which makes the program 3 to 8 times slower"
                 : "3.11 tells calls only while its line marker is armed, and this build has none";
}

}  // namespace

Abilities tell_abilities(const MarkedFile& file, OptionalVersion version) {
  if (!version) version = cpython::version_from_file_name(file.path);
  Abilities abilities;
  for (const EventGroup group : kEventGroups) {
    const bool available = missing_markers(file, group).empty();
    abilities.all[static_cast<std::size_t>(group)] = {group, available,
                                                      available ? "" : why_missing(file, group, version)};
  }
  if (is_from(version, 11) && is_before(version, 12)) tell_of_311(file, abilities);
  return abilities;
}

}  // namespace flametap::tracer

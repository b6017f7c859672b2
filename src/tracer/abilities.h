// Abilities: which events can be had from the markers that a Python was built with, and why the others cannot. Pure.
//
// What a CPython lacks is known by its version only, so this compares versions, as cpython/layout_table.cc does for
// layouts. Nothing else in this folder needs to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpython/version.h"
#include "tracer/markers.h"

namespace flametap::tracer {

// What a user asks for by name: `--events call,gc`.
enum class EventGroup : std::uint8_t { call, line, gc, import, audit };

inline constexpr std::array kEventGroups{EventGroup::call, EventGroup::line, EventGroup::gc, EventGroup::import,
                                         EventGroup::audit};

[[nodiscard]] std::string_view to_string(EventGroup group);
[[nodiscard]] std::optional<EventGroup> event_group_named(std::string_view name);

// What is known of a marker of CPython by its name.
struct MarkerKind {
  std::string_view name;
  EventGroup group{};
  std::string_view arguments;  // their names, separated by blanks: "filename funcname lineno"
};

[[nodiscard]] const std::array<MarkerKind, 8>& marker_kinds();
// Null for a marker that CPython does not have.
[[nodiscard]] const MarkerKind* find_marker_kind(std::string_view name);

struct Ability {
  EventGroup group{};
  bool available = false;
  std::string why = {};  // it is missing, or what it costs; one line, empty if there is nothing to say
};

struct Abilities {
  std::array<Ability, kEventGroups.size()> all;
  // Calls are told only while the semaphore of the marker `line` is up, too.
  bool needs_arming = false;

  [[nodiscard]] const Ability& operator[](EventGroup group) const { return all[static_cast<std::size_t>(group)]; }
};

// Whether the marker of a call is passed when a generator or coroutine is made, too, though none of its code runs.
[[nodiscard]] bool marks_creation(cpython::Version version);

// `version` is that of a process which runs the file; where it is not known, the name of the file may tell it.
[[nodiscard]] Abilities tell_abilities(const MarkedFile& file, std::optional<cpython::Version> version);

}  // namespace flametap::tracer

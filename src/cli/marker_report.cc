#include "cli/marker_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/text_width.h"
#include "format/text.h"
#include "tracer/abilities.h"

namespace flametap::cli {
namespace {

using tracer::Marker;
using tracer::MarkerKind;

constexpr std::size_t kMaxPids = 8;
constexpr std::size_t kMaxWays = 3;

// The places of one marker.
struct Places {
  std::string name;
  std::vector<const Marker*> all;
};

// One entry for each name: CPython's own in their usual order, then others as they come.
std::vector<Places> by_name(const std::vector<Marker>& markers) {
  std::vector<Places> found;
  for (const MarkerKind& kind : tracer::marker_kinds()) found.push_back({std::string(kind.name), {}});
  for (const Marker& marker : markers) {
    auto places =
        std::find_if(found.begin(), found.end(), [&](const Places& each) { return each.name == marker.name; });
    if (places == found.end()) places = found.insert(found.end(), {marker.name, {}});
    places->all.push_back(&marker);
  }
  std::erase_if(found, [](const Places& places) { return places.all.empty(); });
  return found;
}

// The ways in which the places of a marker pass its arguments: "8@%rbp 8@%r12 -4@%eax".
std::string ways(const Places& places) {
  std::vector<std::string_view> different;
  for (const Marker* const marker : places.all) {
    if (std::find(different.begin(), different.end(), marker->arguments) == different.end())
      different.push_back(marker->arguments);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(different.size(), kMaxWays); ++i) {
    text += (i > 0 ? " or " : "") + std::string(different[i]);
  }
  return different.size() > kMaxWays ? fmt::format("{} or {} more", text, different.size() - kMaxWays) : text;
}

std::string pid_list(const std::vector<pid_t>& pids) {
  std::string text = pids.size() == 1 ? "process" : "processes";
  for (std::size_t i = 0; i < std::min(pids.size(), kMaxPids); ++i) text += fmt::format(" {}", pids[i]);
  return pids.size() > kMaxPids ? fmt::format("{} and {} more", text, pids.size() - kMaxPids) : text;
}

std::string title(const ListedFile& listed, bool colour, Columns columns) {
  const std::string path = format::clean(listed.file.path);
  std::string details = listed.version ? "Python " + to_string(*listed.version) : "";
  if (!listed.pids.empty()) details += (details.empty() ? "" : ", ") + pid_list(listed.pids);
  if (!details.empty()) details = wrapped(" (" + details + ")", columns, width(path), 2);
  return (colour ? "\x1b[1m" + path + "\x1b[0m" : path) + details + "\n";
}

// Where the marker is stands at the end of its line, or below it if some line would be too long for the terminal.
std::string table(const std::vector<Marker>& markers, Columns columns) {
  constexpr const char* kRow = "  {:<26}{:<7}{:<8}{:<11}{:<26}";
  constexpr std::size_t kBelow = 6;
  struct Row {
    std::string start;
    std::string where;
  };
  std::vector<Row> rows{{fmt::format(kRow, "MARKER", "EVENT", "PLACES", "SEMAPHORE", "ARGUMENTS"), "WHERE THEY ARE"}};
  for (const Places& places : by_name(markers)) {
    const MarkerKind* const kind = tracer::find_marker_kind(places.name);
    rows.push_back(
        {fmt::format(kRow, places.name, kind != nullptr ? tracer::to_string(kind->group) : "-", places.all.size(),
                     places.all.front()->semaphore != 0 ? "yes" : "no", kind != nullptr ? kind->arguments : "?"),
         ways(places)});
  }
  const bool fits = !columns || std::ranges::all_of(rows, [&](const Row& row) {
    return width(row.start) + width(row.where) <= *columns;
  });
  std::string text;
  for (Row& row : rows) {
    if (!fits) row.start.erase(row.start.find_last_not_of(' ') + 1);
    text += row.start + (fits ? row.where : "\n      " + wrapped(row.where, columns, kBelow, kBelow)) + "\n";
  }
  return text;
}

std::string verdict(const ListedFile& listed, Columns columns) {
  const tracer::Abilities abilities = tell_abilities(listed.file, listed.version);
  std::string events;
  std::string remarks;
  for (const tracer::Ability& ability : abilities.all) {
    const std::string_view name = to_string(ability.group);
    if (ability.available) events += (events.empty() ? "" : ",") + std::string(name);
    if (ability.why.empty()) continue;
    const std::string remark = fmt::format("{}{}: {}", ability.available ? "" : "no ", name, ability.why);
    remarks += "  " + wrapped(remark, columns, 2, 4) + "\n";
  }
  return (events.empty() ? "" : "  can be traced: --events " + events + "\n") + remarks;
}

std::string about(const ListedFile& listed, bool colour, Columns columns) {
  if (listed.file.markers.empty()) {
    const tracer::Abilities abilities = tell_abilities(listed.file, listed.version);
    const std::string why = "no markers: " + abilities[tracer::EventGroup::call].why;
    return title(listed, colour, columns) + "  " + wrapped(why, columns, 2, 4) + "\n";
  }
  return title(listed, colour, columns) + table(listed.file.markers, columns) + verdict(listed, columns);
}

using Json = nlohmann::ordered_json;

Json of_markers(const std::vector<Marker>& markers) {
  Json all = Json::array();
  for (const Places& places : by_name(markers)) {
    const MarkerKind* const kind = tracer::find_marker_kind(places.name);
    Json where = Json::array();
    for (const Marker* const marker : places.all) {
      where.push_back({{"location", fmt::format("{:#x}", marker->location)},
                       {"semaphore", fmt::format("{:#x}", marker->semaphore)},
                       {"semaphore_offset", fmt::format("{:#x}", marker->semaphore_offset)},
                       {"arguments", marker->arguments}});
    }
    all.push_back({{"name", places.name},
                   {"event", kind != nullptr ? Json(tracer::to_string(kind->group)) : Json(nullptr)},
                   {"arguments", kind != nullptr ? Json(kind->arguments) : Json(nullptr)},
                   {"semaphore", places.all.front()->semaphore != 0},
                   {"places", std::move(where)}});
  }
  return all;
}

Json of_file(const ListedFile& listed) {
  const tracer::Abilities abilities = tell_abilities(listed.file, listed.version);
  Json events = Json::object();
  for (const tracer::Ability& ability : abilities.all) {
    events[std::string(to_string(ability.group))] = {{"available", ability.available}, {"why", ability.why}};
  }
  return {{"path", listed.file.path},
          {"open_path", listed.file.open_path},
          {"version", listed.version ? Json(to_string(*listed.version)) : Json(nullptr)},
          {"pids", listed.pids},
          {"markers", of_markers(listed.file.markers)},
          {"events", std::move(events)},
          {"needs_arming", abilities.needs_arming}};
}

}  // namespace

std::string to_text(const MarkerReport& report, bool colour, Columns columns) {
  std::string text;
  for (const ListedFile& listed : report.files) text += (text.empty() ? "" : "\n") + about(listed, colour, columns);
  if (report.files.empty()) text = "no Python is running that we can see\n";
  if (report.unreadable > 0) {
    text += fmt::format("\nnot looked into, for want of rights: {} {}\n", report.unreadable,
                        report.unreadable == 1 ? "process" : "processes");
  }
  return text;
}

std::string to_json(const MarkerReport& report) {
  Json files = Json::array();
  for (const ListedFile& listed : report.files) files.push_back(of_file(listed));
  const Json all{{"files", std::move(files)}, {"unreadable_processes", report.unreadable}};
  // Paths need not be UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flametap::cli

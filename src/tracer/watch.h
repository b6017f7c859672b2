// Watch: which Pythons the probes are attached to, for which events.
//
// One thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "target/process.h"
#include "tracer/abilities.h"
#include "tracer/markers.h"
#include "tracer/probes.h"
#include "tracer/pythons.h"

namespace flametap::tracer {

class Watch {
 public:
  struct Wanted {
    std::vector<EventGroup> groups;
    bool within = false;    // only inside of a function: calls must be watched, shown or not
    bool counting = false;  // calls are counted only, and nothing else is watched
  };
  [[nodiscard]] static std::vector<Probes::Probe> probes_for(const Wanted& wanted);

  // The probes must have been loaded with probes_for() the same wishes; they and the Pythons must outlive the watch.
  Watch(Probes& probes, Pythons& pythons, Wanted wanted)
      : probes_(probes), pythons_(pythons), wanted_(std::move(wanted)) {}

  // A process; gives whether it has any markers. Fails with Failure::not_python if none of them are those wanted.
  [[nodiscard]] Result<bool> add(const target::Process& process);
  // Every Python of the machine that is not watched yet, for all processes that run it now or later.
  [[nodiscard]] Result<void> add_everything_new();

  // What people should know, once each: what a Python cannot tell and why, and what watching it costs.
  [[nodiscard]] std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  Result<void> attach(const MarkedFile& file, std::optional<pid_t> pid, std::optional<cpython::Version> version);
  [[nodiscard]] static Error nothing_wanted(const MarkedFile& file, const Abilities& abilities, EventGroup group);
  [[nodiscard]] bool watches_calls() const;
  void note(const std::string& text);

  Probes& probes_;
  Pythons& pythons_;
  Wanted wanted_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> files_;  // that are watched for all processes: device and inode
  std::set<std::string> noted_;
  std::vector<std::string> notes_;
};

}  // namespace flametap::tracer

// MachineFacts: what can be found out about this machine and our rights on it, by looking and by trying. What it means
// for people is said by abilities.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/step_trial.h"
#include "target/surroundings.h"

namespace flametap::cli {

struct MachineFacts {
  std::string version;  // of flametap
  std::string kernel;   // "Linux 6.1.0"
  std::string architecture;
  std::vector<int> usable_cpus;  // that we may run on
  int online_cpus = 0;
  target::Surroundings us = {};
  ChildTrial child = {};
  std::optional<std::string> no_process_events = std::nullopt;  // why it does not tell of new processes
  std::optional<std::string> no_interrupts = std::nullopt;      // why we cannot read in one
};

// Starts a child for a moment, and leaves everything as it was.
[[nodiscard]] MachineFacts look_at_machine();

}  // namespace flametap::cli

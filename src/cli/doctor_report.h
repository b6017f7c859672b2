// What the doctor found, for people and for programs.
#pragma once

#include <string>

#include "cli/machine_facts.h"
#include "cli/process_facts.h"
#include "cli/text_fit.h"

namespace flametap::cli {

struct Diagnosis {
  MachineFacts machine;
  std::optional<ProcessFacts> process = std::nullopt;
};

// With escape sequences for a terminal if `colour`; lines break between words where they are wider than it. A remedy,
// which is to be copied, does not.
[[nodiscard]] std::string to_text(const Diagnosis& diagnosis, bool colour, Columns columns = {});
// The contract of `doctor --json`.
[[nodiscard]] std::string to_json(const Diagnosis& diagnosis);

// "0-1, 4"
[[nodiscard]] std::string cpu_list(const std::vector<int>& cpus);

}  // namespace flametap::cli

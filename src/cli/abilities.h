// What flametap can do on a machine, as it follows from the facts: each ability with, where it is limited, the reason,
// what that costs, and the command that mends it. Pure, so that it holds for machines that are not at hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/machine_facts.h"

namespace flametap::cli {

enum class Grade : std::uint8_t { works, partly, no };

[[nodiscard]] std::string_view to_string(Grade grade);

struct Ability {
  std::string name;  // "read our own processes"
  Grade grade = Grade::works;
  std::string why;     // if it does not work as a whole; else a remark, or nothing
  std::string remedy;  // if it does not work as a whole
};

[[nodiscard]] std::vector<Ability> judge(const MachineFacts& facts);

}  // namespace flametap::cli

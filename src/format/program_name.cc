#include "format/program_name.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "format/text.h"

namespace flametap::format {
namespace {

constexpr std::size_t kMaxName = 60;

std::string safe_name(std::string name) {
  for (char& letter : name) {
    const bool safe = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_' || letter == '.' || letter == '-';
    if (!safe) letter = '_';
  }
  name.resize(std::min(name.size(), kMaxName));
  name.erase(0, name.find_first_not_of(".-"));  // neither a hidden file nor an option
  return name.empty() ? "python" : name;
}

// Options of Python that take the next word as their value.
bool takes_a_value(std::string_view option) { return option == "-W" || option == "-X" || option == "-Q"; }

}  // namespace

std::string program_name(const std::vector<std::string>& command) {
  if (command.empty()) return "python";
  const std::string program = safe_name(std::string(base_name(command.front())));
  if (!program.starts_with("python")) return program;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-m" && i + 1 < command.size()) return safe_name(command[i + 1]);
    if (word == "-c" || word == "-" || word == "-m") break;
    if (takes_a_value(word)) ++i;
    if (word.starts_with('-')) continue;
    std::string name(base_name(word));
    if (name.ends_with(".py")) name.resize(name.size() - 3);
    return safe_name(std::move(name));
  }
  return program;
}

}  // namespace flametap::format

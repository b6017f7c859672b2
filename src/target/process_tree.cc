#include "target/process_tree.h"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "target/proc_file.h"

namespace flametap::target {
namespace {

constexpr std::size_t kMaxDescendants = 4096;

// The names in a folder of /proc that are numbers.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return numbers;
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

void append_children(pid_t pid, std::vector<pid_t>& children) {
  const std::string folder = proc_path(pid, "task");
  for (const pid_t tid : numbers_in(folder)) {
    const auto text = read_proc_file(folder + "/" + std::to_string(tid) + "/children");
    if (!text) continue;
    for (const char* at = text->data(); at < text->data() + text->size();) {
      pid_t child = 0;
      const auto [end, error] = std::from_chars(at, text->data() + text->size(), child);
      if (error == std::errc{} && children.size() < kMaxDescendants) children.push_back(child);
      at = end + 1;
    }
  }
}

}  // namespace

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids = numbers_in("/proc");
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> found;
  append_children(pid, found);
  return found;
}

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> found;
  append_children(pid, found);
  for (std::size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

}  // namespace flametap::target

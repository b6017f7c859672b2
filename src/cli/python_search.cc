#include "cli/python_search.h"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "target/proc_file.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kMaxDescendants = 4096;
constexpr Nanoseconds kShortestPause = 1'000'000;
constexpr Nanoseconds kLongestPause = 20'000'000;

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

// A process's children, whichever of its threads forked them.
void append_children(pid_t pid, std::vector<pid_t>& children) {
  const std::string folder = target::proc_path(pid, "task");
  for (const pid_t tid : numbers_in(folder)) {
    const auto text = target::read_proc_file(folder + "/" + std::to_string(tid) + "/children");
    if (!text) continue;
    for (const char* at = text->data(); at < text->data() + text->size();) {
      pid_t child = 0;
      const auto [end, error] = std::from_chars(at, text->data() + text->size(), child);
      if (error == std::errc{} && children.size() < kMaxDescendants) children.push_back(child);
      at = end + 1;
    }
  }
}

void sleep_for(Nanoseconds time) {
  const timespec pause{static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);  // a signal ends it early, which is as well
}

}  // namespace

std::vector<pid_t> descendants(pid_t pid) {
  std::vector<pid_t> found;
  append_children(pid, found);
  for (std::size_t i = 0; i < found.size(); ++i) append_children(found[i], found);
  return found;
}

// The longer it takes, the less it hurries: a Python that starts is found within a millisecond or a fiftieth of the
// time that the command took to start it.
std::unique_ptr<sampler::ProcessSampler> PythonSearch::find(std::optional<Nanoseconds> deadline) {
  const Nanoseconds start = monotonic_now();
  for (;;) {
    const bool ended = launched_.ended();
    if (ended || stop_ || (deadline && monotonic_now() >= *deadline)) return nullptr;
    if (auto found = try_once()) return found;
    sleep_for(std::clamp((monotonic_now() - start) / 50, kShortestPause, kLongestPause));
  }
}

std::unique_ptr<sampler::ProcessSampler> PythonSearch::try_once() {
  if (auto found = try_process(launched_.pid())) return found;
  for (const pid_t pid : descendants(launched_.pid())) {
    if (auto found = try_process(pid)) return found;
  }
  return nullptr;
}

std::unique_ptr<sampler::ProcessSampler> PythonSearch::try_process(pid_t pid) {
  auto attached = sampler::ProcessSampler::attach(pid, options_);
  if (attached) return std::move(*attached);
  if (attached.error().kind == Failure::not_permitted) denied_ = attached.error();
  return nullptr;
}

}  // namespace flametap::cli

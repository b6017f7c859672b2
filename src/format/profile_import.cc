#include "format/profile_import.h"

#include <cstddef>
#include <utility>

#include "format/limits.h"
#include "format/text.h"

namespace flametap::format {

using profile::FrameId;
using profile::StackId;
using profile::ThreadId;

FrameId ProfileImport::frame(const FrameParts& parts) {
  const profile::Function function{profile.intern(parts.name.substr(0, kMaxNameBytes)),
                                   profile.intern(parts.file.substr(0, kMaxNameBytes)), parts.first_line, parts.kind,
                                   profile.intern(parts.module.substr(0, kMaxNameBytes))};
  return profile.intern(profile::Frame{profile.intern(function), parts.line});
}

std::optional<StackId> ProfileImport::push(StackId parent, FrameId frame) {
  const std::uint32_t depth = depths_[static_cast<std::size_t>(parent)] + 1;
  if (depth > kMaxStackDepth || depths_.size() > max_stacks_) return std::nullopt;
  const StackId stack = profile.push(parent, frame);
  if (static_cast<std::size_t>(stack) == depths_.size()) depths_.push_back(depth);
  return stack;
}

std::optional<ThreadId> ProfileImport::thread(const ThreadParts& parts) {
  const std::string key = std::to_string(parts.pid) + ":" + std::to_string(parts.id) + ":" + parts.name;
  if (const auto known = threads_.find(key); known != threads_.end()) return known->second;
  const std::optional<ThreadId> added = new_thread(parts);
  if (added) threads_.emplace(key, *added);
  return added;
}

std::optional<ThreadId> ProfileImport::new_thread(const ThreadParts& parts) {
  if (profile.threads().size() >= kMaxThreads) return std::nullopt;
  return profile.add(profile::Thread{process(parts.pid), parts.id, parts.name.substr(0, kMaxNameBytes)});
}

profile::ProcessId ProfileImport::process(std::int32_t pid) {
  if (const auto known = processes_.find(pid); known != processes_.end()) return known->second;
  const bool is_first = profile.processes().empty();
  const profile::ProcessId added = profile.add(profile::Process{pid, is_first ? command_ : "", ""});
  processes_.emplace(pid, added);
  return added;
}

bool ProfileImport::add(const profile::Sample& sample) {
  if (profile.samples().size() >= max_samples_) return false;
  if (sample.ticks > kMaxSum - profile.total_ticks()) return false;
  if (sample.weight_ns > kMaxSum - profile.total_weight_ns()) return false;
  profile.add(sample);
  return true;
}

bool is_marker(std::string_view text) {
  return text.starts_with("thread ") || text.starts_with("process ") || (text.starts_with('(') && text.ends_with(')'));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return with_commas(count) + " " + std::string(noun) + (count == 1 ? " was" : "s were");
}

}  // namespace flametap::format

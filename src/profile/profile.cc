#include "profile/profile.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace flametap::profile {
namespace {

constexpr std::array<std::string_view, 5> kModeNames = {"wall", "cpu", "gil", "unknown", "ready"};
constexpr std::array<std::string_view, 5> kFrameKindNames = {"python", "marker", "native", "inlined", "kernel"};

template <typename Value, std::size_t kCount>
std::optional<Value> by_name(const std::array<std::string_view, kCount>& names, std::string_view name) {
  const auto* place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) return std::nullopt;
  return static_cast<Value>(place - names.begin());
}

}  // namespace

std::string_view name(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

std::optional<Mode> mode_by_name(std::string_view name) { return by_name<Mode>(kModeNames, name); }

std::string_view name(FrameKind kind) { return kFrameKindNames[static_cast<std::size_t>(kind)]; }

std::optional<FrameKind> frame_kind_by_name(std::string_view name) { return by_name<FrameKind>(kFrameKindNames, name); }

Profile::Profile() {
  strings_.intern(std::string_view{});
  // The empty stack is its own parent, which no pushed stack can be: it takes number 0 and is never found again.
  stacks_.intern(Stack{kEmptyStack, FrameId{0xffff'ffff}});
}

StringId Profile::intern(std::string_view text) { return strings_.intern(text); }

FunctionId Profile::intern(const Function& function) {
  assert(static_cast<std::size_t>(function.name) < strings_.size());
  assert(static_cast<std::size_t>(function.file) < strings_.size());
  assert(static_cast<std::size_t>(function.module) < strings_.size());
  return functions_.intern(function);
}

FrameId Profile::intern(const Frame& frame) {
  assert(static_cast<std::size_t>(frame.function) < functions_.size());
  return frames_.intern(frame);
}

StackId Profile::push(StackId parent, FrameId frame) {
  assert(static_cast<std::size_t>(parent) < stacks_.size());
  assert(static_cast<std::size_t>(frame) < frames_.size());
  return stacks_.intern(Stack{parent, frame});
}

bool Profile::add_source(StringId path, std::string text) {
  assert(static_cast<std::size_t>(path) < strings_.size());
  if (text.size() > kMaxSourceBytes || text.size() > kMaxSourcesBytes - sources_bytes_) return false;
  const std::size_t size = text.size();
  if (!sources_.emplace(path, std::move(text)).second) return false;
  sources_bytes_ += size;
  return true;
}

ProcessId Profile::add(Process process) {
  processes_.push_back(std::move(process));
  return static_cast<ProcessId>(processes_.size() - 1);
}

ThreadId Profile::add(Thread thread) {
  assert(static_cast<std::size_t>(thread.process) < processes_.size());
  threads_.push_back(std::move(thread));
  return static_cast<ThreadId>(threads_.size() - 1);
}

void Profile::add(const Sample& sample) {
  assert(static_cast<std::size_t>(sample.thread) < threads_.size());
  assert(static_cast<std::size_t>(sample.stack) < stacks_.size());
  samples_.push_back(sample);
  total_ticks_ += sample.ticks;
  total_weight_ns_ += sample.weight_ns;
}

std::string_view Profile::text(StringId id) const { return strings_[id]; }
const Function& Profile::function(FunctionId id) const { return functions_[id]; }
const Frame& Profile::frame(FrameId id) const { return frames_[id]; }
const Stack& Profile::stack(StackId id) const { return stacks_[id]; }

std::vector<FrameId> Profile::frames_of(StackId id) const {
  std::vector<FrameId> frames;
  for (; id != kEmptyStack; id = stack(id).parent) frames.push_back(stack(id).frame);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

}  // namespace flametap::profile

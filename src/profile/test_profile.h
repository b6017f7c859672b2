// For tests: builds small profiles out of words.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "profile/profile.h"

namespace flametap::profile {

struct TestFrame {
  std::string_view name;
  std::string_view file = "/app/a.py";
  std::int32_t line = 0;
  std::int32_t first_line = 1;
  FrameKind kind = FrameKind::python;
  std::string_view module = "";

  TestFrame(const char* text) : name(text) {}
  // One of the C stack; a file that is its module says that no source is known.
  TestFrame(const char* text, FrameKind of_kind, const char* of_module, const char* path = "", std::int32_t at = 0)
      : name(text), file(path), line(at), first_line(0), kind(of_kind), module(of_module) {
    if (file.empty()) file = module;
  }
  TestFrame(const char* text, const char* path, std::int32_t at, std::int32_t first = 1)
      : name(text), file(path), line(at), first_line(first) {}
};

class TestProfile {
 public:
  TestProfile() {
    profile.recording.mode = Mode::wall;
    profile.recording.rate_hz = 1000;
  }

  ThreadId thread(std::string name, std::uint64_t id, std::int32_t pid = 7) {
    for (std::size_t i = 0; i < profile.processes().size(); ++i) {
      if (profile.processes()[i].pid == pid) return profile.add(Thread{ProcessId(i), id, std::move(name)});
    }
    return profile.add(Thread{profile.add(Process{pid, "python a.py", "3.11.7"}), id, std::move(name)});
  }

  StackId stack(std::initializer_list<TestFrame> frames) {
    StackId stack = kEmptyStack;
    for (const TestFrame& frame : frames) {
      const Function function{profile.intern(frame.name), profile.intern(frame.file), frame.first_line, frame.kind,
                              profile.intern(frame.module)};
      stack = profile.push(stack, profile.intern(Frame{profile.intern(function), frame.line}));
    }
    return stack;
  }

  // `ticks` samples of a millisecond each, one after the other.
  void sample(ThreadId thread, std::initializer_list<TestFrame> frames, std::uint64_t ticks = 1,
              stack::State state = stack::kOnCpu) {
    const std::uint64_t weight = ticks * 1'000'000;
    profile.add(Sample{time_, weight, thread, stack(frames), ticks, state});
    time_ += weight;
  }

  Profile profile;

 private:
  std::uint64_t time_ = 0;
};

}  // namespace flametap::profile

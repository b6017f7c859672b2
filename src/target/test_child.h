// Child processes for tests: forked, ready when they say so through a pipe, ended by their pid.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"

namespace flametap::target {

class TestChild {
 public:
  // Runs `body` in a forked child, which calls `ready` once; returns when it did. When the body returns, the child
  // waits to be killed.
  static TestChild run(const std::function<void(const std::function<void()>& ready)>& body);
  // Runs a program that writes a byte to its standard output when it is ready. The child calls `before_exec` first.
  static TestChild exec(const std::vector<std::string>& arguments, const std::function<void()>& before_exec = {});

  TestChild(TestChild&& other) noexcept;
  TestChild& operator=(TestChild&&) = delete;
  // Kills and reaps the child.
  ~TestChild();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Kills the child and leaves a zombie behind.
  void kill_without_reaping();
  void kill_and_reap();
  // Waits until it ends by itself; its wait status.
  int wait();
  // One byte more that the child wrote; false at the end of the pipe.
  bool wait_for_byte();

 private:
  TestChild(pid_t pid, Fd pipe) : pid_(pid), pipe_(std::move(pipe)) {}

  pid_t pid_;
  Fd pipe_;
};

}  // namespace flametap::target

// Family: the Python processes that come from some others by fork, spawn or exec, to any depth. A thread of its own
// waits for them and finds the interpreter in each, so that sampling goes on meanwhile.
//
// Where the kernel tells us of new processes (see ProcessEvents), none is missed; elsewhere /proc is looked through
// every few milliseconds.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "sampler/process_sampler.h"
#include "sampler/programs.h"
#include "target/process_events.h"

namespace flametap::sampler {

class Family {
 public:
  struct Counts {
    std::uint64_t found = 0;      // Python processes besides those that we began with
    std::uint64_t too_short = 0;  // Python processes that had ended before they could be read
    std::uint64_t denied = 0;     // that we have no right to read
  };

  // The processes that we began with, whether they are Pythons or not, and those of the family that are sampled
  // already.
  struct Roots {
    std::vector<pid_t> pids = {};
    std::vector<const ProcessSampler*> sampled = {};
  };

  Family(const Roots& roots, ProcessSampler::Options options);
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family();

  // For the thread that samples. Those that were found since the last call.
  [[nodiscard]] std::vector<std::unique_ptr<ProcessSampler>> take();
  // A process has begun another program than the one that it was sampled with.
  void began_another_program(const ProcessSampler& process);
  // Whether a Python of the family still runs, or one may be about to start.
  [[nodiscard]] bool alive() const { return alive_; }

  [[nodiscard]] Counts counts() const;

 private:
  struct Member {
    Nanoseconds since = 0;     // it runs what it runs now
    Nanoseconds next_try = 0;  // to find an interpreter in it; 0: no more
    bool python = false;       // surely, or very likely
    bool sampled = false;
    std::uint64_t start_time = 0;  // see target::Process
    std::string program = {};      // that it was sampled with: see ProcessSampler
    bool is_root = false;          // one of those that we began with
    bool counted = false;
  };

  void run();
  [[nodiscard]] Nanoseconds patience() const;
  void handle(const target::ProcessEvent& event);
  void scan();
  void add(pid_t pid, bool forked_by_python);
  void restart_those_that_executed();
  void forget_those_that_ended();
  void handle_what_came();
  [[nodiscard]] bool may_give_a_python() const;
  [[nodiscard]] bool is_sampled_as_it_is(pid_t pid) const;
  void restart(pid_t pid);
  void forget(pid_t pid);
  void try_those_due();
  void try_to_attach(pid_t pid, Member& member);

  ProcessSampler::Options options_;
  Programs programs_;
  std::optional<target::ProcessEvents> events_;
  std::map<pid_t, Member> members_;  // of the thread
  Nanoseconds next_look_ = 0;        // whether they have ended; of the thread, too
  bool events_were_lost_ = false;    // of the thread, too

  std::atomic<bool> stop_ = false;
  std::atomic<bool> alive_ = true;
  std::atomic<bool> any_found_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::vector<std::unique_ptr<ProcessSampler>> found_;
  std::vector<std::pair<pid_t, std::string>> executed_;  // and the program before
  Counts counts_;

  std::thread thread_;  // the last member: it uses the others
};

}  // namespace flametap::sampler

// Successors: the Pythons that sampled processes become when they execute another program. A thread of its own looks
// for the interpreter in the new program, so that other processes are sampled meanwhile.
//
// The new program need not be a Python at once: a shell or env may execute one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "sampler/process_sampler.h"
#include "target/process.h"

namespace flametap::sampler {

class Successors {
 public:
  explicit Successors(ProcessSampler::Options options) : options_(std::move(options)) {}
  Successors(const Successors&) = delete;
  Successors& operator=(const Successors&) = delete;
  ~Successors();

  // For the thread that samples. The process has begun another program than the one that it was sampled with.
  void expect(const ProcessSampler& process);
  // Those that were found since the last call.
  [[nodiscard]] std::vector<std::unique_ptr<ProcessSampler>> take();
  // Whether one was found and not taken yet, or may still be found. Nothing is expected any more of a process that has
  // ended, or that has run a program without a Python for two seconds.
  [[nodiscard]] bool awaited() const;

 private:
  struct Candidate {
    target::Process process;
    std::string program;  // see ProcessSampler::program()
    Nanoseconds since;    // it runs this program
    Nanoseconds next_try;
  };

  void run();
  // Whether nothing more is expected of it.
  [[nodiscard]] bool try_once(Candidate& candidate);

  ProcessSampler::Options options_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool stop_ = false;
  std::vector<Candidate> candidates_;
  bool is_trying_ = false;  // one that is not in `candidates_` meanwhile
  std::vector<std::unique_ptr<ProcessSampler>> found_;

  std::thread thread_;  // the last member: it uses the others. It begins when something is expected.
};

}  // namespace flametap::sampler

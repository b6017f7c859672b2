// Probes: our programs in the kernel, attached to markers. When this object ends, or we die however, the kernel takes
// them back: no breakpoint, semaphore or program stays behind.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/python_layout.h"
#include "bpf/record.h"
#include "tracer/links.h"
#include "tracer/markers.h"

namespace flametap::tracer {

class Probes {
 public:
  struct Options {
    std::size_t buffer_bytes = std::size_t{64} << 20;  // for records that were not read yet; a power of two
    std::string within = {};                           // only inside of calls of this function; empty: everywhere
    bool send_calls = true;                            // false: calls are watched for `within` only
    bool judge_functions = false;                      // drop functions that were judged so, see judge()
    bool judge_files = false;                          // they are known by their file, too
    bool judge_threads = false;
    LinkKind links = best_link_kind();
  };

  // One marker and what to do when it is passed.
  enum class Probe : std::uint8_t {
    call,
    call_end,
    line,
    gc_start,
    gc_done,
    import_start,
    import_done,
    audit,
    count_calls,      // only counts, see counts()
    count_call_ends,  // the same, where the beginning of a call is not marked
  };
  [[nodiscard]] static std::string_view marker_of(Probe probe);

  // Fails with Failure::not_permitted and the remedy if the kernel does not let us.
  [[nodiscard]] static Result<Probes> load(const Options& options, std::span<const Probe> wanted);

  Probes(Probes&&) noexcept;
  Probes& operator=(Probes&&) noexcept;
  ~Probes();

  // Attaches one of the wanted probes to a file, for one process or, without, for all that run it now or later.
  [[nodiscard]] Result<void> attach(Probe probe, const MarkedFile& file, std::optional<pid_t> pid);
  // Holds up a marker's semaphore without looking at the marker, for as long as the probes are attached.
  [[nodiscard]] Result<void> arm(const Marker& marker, const MarkedFile& file, std::optional<pid_t> pid);
  // Events come from now on. Before, and while some probes are attached and others are not, there are none: they would
  // tell of ends without beginnings.
  void begin();
  // No more events; those that are in the buffer can still be read.
  void detach();

  // Hands on the records that are in the buffer, in the order in which they came, but not without end if they come
  // faster than that. Gives how many. The bytes are valid during the call.
  template <typename Take>
  std::size_t read(Take&& take) {
    return read_records(
        [](void* context, std::span<const std::byte> record) { (*static_cast<Take*>(context))(record); }, &take);
  }

  // What the kernel shall do with a function or a thread from now on. It may fail to remember, and asks again then.
  void judge(const flametap_function& function, bool show);
  void judge(const flametap_name& function, bool show);  // without judge_files
  void judge(const flametap_thread_key& thread, bool show);

  // Where the Python of a process keeps what runs; the kernel forgets it when the process ends or executes another
  // program.
  void teach(pid_t pid, const flametap_python_layout& layout);
  void unteach(pid_t pid);

  struct Count {
    flametap_counted what;
    std::uint64_t calls;  // since the beginning
  };
  [[nodiscard]] std::vector<Count> counts() const;
  // Makes room, once nobody counts it any more.
  void forget(const flametap_counted& what);

  // Events that did not fit, since the beginning.
  [[nodiscard]] std::uint64_t lost() const;

 private:
  class Programs;
  using TakeRecord = void (*)(void* context, std::span<const std::byte> record);

  explicit Probes(std::unique_ptr<Programs> programs);
  std::size_t read_records(TakeRecord take, void* context);

  std::unique_ptr<Programs> programs_;
};

}  // namespace flametap::tracer

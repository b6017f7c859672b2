// Links: what holds programs in the kernel to places in files. The kernel takes back a link when it is closed, by us or
// because we died.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/fd.h"

struct bpf_link;
struct bpf_program;

namespace flametap::tracer {

// A link for all places of a marker costs a fifth less at each passing than one for each place, but older kernels
// either do not have it, or (before 6.10) run the program in the main thread only.
enum class LinkKind : std::uint8_t { for_each_place, for_all_places };
[[nodiscard]] LinkKind best_link_kind();

class Links {
 public:
  struct Place {
    std::uint64_t offset;            // in the file
    std::uint64_t semaphore_offset;  // 0: it has none
    std::uint64_t cookie;            // for the program, to know the place by
  };

  explicit Links(LinkKind kind) : kind_(kind) {}
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  ~Links() { close(); }

  // Programs that will be attached to places must be told so before they are loaded.
  void prepare(bpf_program& program) const;
  // For one process or, without, for all that run the file now or later. All or none; gives the number of the error, 0
  // if there is none.
  [[nodiscard]] int attach(const bpf_program& program, const std::string& file, std::span<const Place> places,
                           std::optional<pid_t> pid);
  // Where the program itself says what it is attached to.
  [[nodiscard]] int attach(const bpf_program& program);
  // A program that was not prepared, to one place.
  [[nodiscard]] int attach_alone(const bpf_program& program, const std::string& file, const Place& place,
                                 std::optional<pid_t> pid);
  // The newest first: the end of a call is watched from before its beginning is, until after.
  void close();

 private:
  struct Destroy {
    void operator()(bpf_link* link) const;
  };
  using Library = std::unique_ptr<bpf_link, Destroy>;  // one that libbpf made

  [[nodiscard]] int keep(bpf_link* link);
  [[nodiscard]] int attach_together(const bpf_program& program, const std::string& file, std::span<const Place> places,
                                    std::optional<pid_t> pid);

  LinkKind kind_;
  std::vector<std::variant<Fd, Library>> links_;
};

}  // namespace flametap::tracer

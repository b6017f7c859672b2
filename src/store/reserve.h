// Reserve: room on the disk that is set aside. SQLite writes before it deletes, so on a full disk it could delete
// nothing, and the disk would stay full: the reserve goes first, and is made again from what became free.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace flametap::store {

class Reserve {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{16} << 20;

  // The path of its file; empty: there is never any.
  explicit Reserve(std::string path) : path_(std::move(path)) {}

  // Makes it as large as it should be, or as there is room for; what is there already stays.
  void make();
  // Whether there was one.
  bool release();

 private:
  std::string path_;
};

// For whoever is not root; nothing is known: as much as there can be.
[[nodiscard]] std::uint64_t free_bytes_beside(const std::string& path);

}  // namespace flametap::store

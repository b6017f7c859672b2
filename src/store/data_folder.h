// DataFolder: the folder in which a server keeps what it has, for itself alone: no other user may look into it, and no
// other server may use it at the same time.
#pragma once

#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace flametap::store {

class DataFolder {
 public:
  // $XDG_DATA_HOME/flametap, or ~/.local/share/flametap.
  [[nodiscard]] static Result<std::string> usual_path();
  // Creates it, with the folders above, where it is missing.
  [[nodiscard]] static Result<DataFolder> open(const std::string& path);

  [[nodiscard]] std::string database() const { return path_ + "/" + kDatabase; }
  // For recordings that still grow.
  [[nodiscard]] std::string live() const { return path_ + "/live"; }

 private:
  DataFolder(std::string path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  static constexpr const char* kDatabase = "profiles.sqlite";

  std::string path_;
  Fd lock_;
};

}  // namespace flametap::store

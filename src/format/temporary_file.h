// TemporaryFile: a file under a name of its own in the folder of its final place. Goes away unless it is moved there.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace flametap::format {

class TemporaryFile {
 public:
  [[nodiscard]] static Result<TemporaryFile> create(const std::string& final_path);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] int descriptor() const { return file_.get(); }
  // It stays open for writing wherever it is moved.
  [[nodiscard]] Fd take_descriptor() { return std::move(file_); }

  // Moves it there, with the rights of the file that it replaces, if there is one: a private one stays private. A
  // symbolic link stays one: the file behind it is replaced.
  [[nodiscard]] Result<void> replace(const std::string& path);

  // Moves it there, or, if something stands there already, beside it: `a.svg` becomes `a-2.svg`. Gives the path.
  [[nodiscard]] Result<std::string> move_beside(const std::string& path);

 private:
  TemporaryFile(std::string path, Fd file);
  [[nodiscard]] int move_to_free(const std::string& final_path);

  std::string path_;
  Fd file_;
};

// Behind a symbolic link, the file that it stands for.
[[nodiscard]] std::string resolved(const std::string& path);

}  // namespace flametap::format

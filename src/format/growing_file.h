// GrowingFile: an output that is written piece by piece and is good for reading at every moment in between.
//
// It appears in its place with its first piece. A piece that does not fit (a full disk) is taken back, so that the file
// ends with the piece before. Devices, pipes and `-` (standard output) are written directly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "format/output_file.h"

namespace flametap::format {

class GrowingFile {
 public:
  [[nodiscard]] static Result<GrowingFile> create(const std::string& path, Existing existing,
                                                  std::string_view first_piece);

  [[nodiscard]] Result<void> append(std::string_view piece);
  // Where it is, which keep_both may have changed.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  GrowingFile(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  [[nodiscard]] static Result<GrowingFile> open_directly(const std::string& path);

  std::string path_;
  Fd file_;
  std::uint64_t bytes_ = 0;  // that stand in it for good
};

}  // namespace flametap::format

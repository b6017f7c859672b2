// Journal: where a recording lives while it grows, so that nothing is lost whatever happens to us: an .ftap file beside
// the result, gone once the result is written; or, if the result is an .ftap itself, the result.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/output.h"
#include "format/ftap_writer.h"
#include "format/read_any.h"

namespace flametap::cli {

class Journal {
 public:
  // `own_path`: the name that the result gets where the user gave none. A result that is no file of a folder (a pipe, a
  // device, standard output) has its journal in the folder for temporary files.
  [[nodiscard]] static Result<Journal> open(const Output& output, const std::string& own_path);

  [[nodiscard]] profile::Sink& sink() { return *writer_; }
  [[nodiscard]] bool is_result() const { return is_result_; }
  [[nodiscard]] const std::string& path() const { return writer_->path(); }

  [[nodiscard]] Result<format::ReadProfile> read(bool keep_time) const;
  // The result is written: the journal is not needed any more.
  void remove();

 private:
  Journal(std::unique_ptr<format::FtapWriter> writer, bool is_result)
      : writer_(std::move(writer)), is_result_(is_result) {}

  std::unique_ptr<format::FtapWriter> writer_;
  bool is_result_;
};

}  // namespace flametap::cli

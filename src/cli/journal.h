// Journal: where a recording lives while it grows, so that nothing is lost whatever happens to us: an .ftap file beside
// the result, gone once the result is written; or, if the result is an .ftap itself, the result, under its own name
// from the start unless there is such a file already, which is replaced only at the end.
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
  [[nodiscard]] static Result<Journal> open(const Output& output, const std::string& own_path,
                                            std::uint32_t time_unit_ns = format::FtapWriter::kRecordedTimeUnit);

  [[nodiscard]] profile::Sink& sink() { return *writer_; }
  [[nodiscard]] bool is_result() const { return is_result_; }
  [[nodiscard]] const std::string& path() const { return writer_->path(); }

  [[nodiscard]] Result<format::ReadProfile> read(bool keep_time) const;
  // The file as it is. Fails if it is too large for a browser.
  [[nodiscard]] Result<std::string> bytes() const;
  [[nodiscard]] const std::string& result_path() const { return result_path_; }
  // The result is written, or is the journal itself, which takes its name now. It is not needed any more.
  [[nodiscard]] Result<void> close();

 private:
  Journal(std::unique_ptr<format::FtapWriter> writer, bool is_result, std::string result_path)
      : writer_(std::move(writer)), is_result_(is_result), result_path_(std::move(result_path)) {}

  std::unique_ptr<format::FtapWriter> writer_;
  bool is_result_;
  std::string result_path_;
};

}  // namespace flametap::cli

// FtapWriter: a Sink that streams to an .ftap file. Whatever happens to us, what was written up to the last checkpoint
// is there, and another process can read the file at any moment. Memory and the work of a checkpoint do not grow with
// time: a chunk holds what is new.
//
// Compresses and writes in the thread that calls. See docs/formats/ftap.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "format/ftap_encoder.h"
#include "format/growing_file.h"
#include "format/output_file.h"
#include "profile/sink.h"

namespace flametap::format {

class FtapWriter final : public profile::Sink {
 public:
  // Times are kept in microseconds: finer ones would be noise, and half of the file.
  static constexpr std::uint32_t kRecordedTimeUnit = 1000;

  // Creates the file, with a header and no chunk yet.
  [[nodiscard]] static Result<std::unique_ptr<FtapWriter>> create(const std::string& path, Existing existing,
                                                                  std::uint32_t time_unit_ns = kRecordedTimeUnit);

  [[nodiscard]] Result<void> add(const profile::Profile& tables, const profile::Sample& sample) override;
  [[nodiscard]] Result<void> checkpoint(const profile::Profile& tables) override;
  [[nodiscard]] Result<void> finish(const profile::Profile& tables) override;

  [[nodiscard]] const std::string& path() const { return file_.path(); }

 private:
  FtapWriter(FtapEncoder encoder, GrowingFile file) : encoder_(std::move(encoder)), file_(std::move(file)) {}

  FtapEncoder encoder_;
  GrowingFile file_;
  std::string chunk_;
};

// A whole profile as one .ftap file; nothing is rounded.
[[nodiscard]] std::string write_ftap(const profile::Profile& profile);

}  // namespace flametap::format

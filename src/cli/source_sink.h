// SourceSink: hands everything on to another Sink, and with the end of the recording the source files.
//
// They are read then, and not when a function is first seen: sampling must not wait for a disk.
#pragma once

#include <utility>

#include "cli/source_files.h"
#include "profile/sink.h"

namespace flametap::cli {

class SourceSink final : public profile::Sink {
 public:
  SourceSink(profile::Sink& next, SourceFiles files) : next_(next), files_(std::move(files)) {}

  [[nodiscard]] Result<void> add(const profile::Profile& tables, const profile::Sample& sample) override {
    return next_.add(tables, sample);
  }
  [[nodiscard]] Result<void> checkpoint(const profile::Profile& tables) override {
    files_.look_again();
    return next_.checkpoint(tables);
  }
  [[nodiscard]] Result<void> finish(const profile::Profile& tables) override {
    files_.look_again();
    profile::Profile with_sources = tables;
    add_sources(files_, with_sources);
    return next_.finish(with_sources);
  }

 private:
  profile::Sink& next_;
  SourceFiles files_;
};

}  // namespace flametap::cli

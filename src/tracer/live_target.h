// LiveTarget: what the reader of records asks the processes themselves.
#pragma once

#include <string>

#include "tracer/pythons.h"
#include "tracer/record_reader.h"

namespace flametap::tracer {

class LiveTarget : public RecordReader::Target {
 public:
  // The Pythons must outlive it.
  explicit LiveTarget(Pythons& pythons) : pythons_(pythons) {}

  [[nodiscard]] std::string describe(pid_t pid, const flametap_capture& capture) override;
  [[nodiscard]] std::string read_constant(pid_t pid, std::uint64_t address) override;

 private:
  Pythons& pythons_;
};

}  // namespace flametap::tracer

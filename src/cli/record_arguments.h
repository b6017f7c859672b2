// The words of `flametap record`, and what they ask for.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/native_arguments.h"
#include "cli/record_command.h"

namespace CLI {
class App;
}

namespace flametap::cli {

// As they were typed.
struct RecordWords {
  std::vector<std::string> pids;
  std::vector<std::string> bare;
  std::string rate = "1000";
  std::string duration;
  std::string cpu;
  std::string mode;
  std::string push;
  std::string token_file;
  std::string serve_port;
  NativeWords native;
  bool no_interrupt = false;
  bool no_pause = false;
  bool no_lines = false;
  RecordRequest request;
};

void add_record_options(CLI::App& command, RecordWords& words);

// `command` is what stands after `--`, or null.
[[nodiscard]] Result<RecordRequest> record_request(const CLI::App& app, const RecordWords& words,
                                                   const std::vector<std::string>* command);

}  // namespace flametap::cli

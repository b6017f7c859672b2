// SourceFiles: the source files of a program as the program sees them, also when it is gone.
//
// Opened while its processes live, it keeps their roots, so that a path means what it meant to them: in a container,
// and also when another process has their pid by then. Everything found there is hostile: only regular files are read,
// and of them no more than a profile keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "profile/profile.h"
#include "target/credentials.h"
#include "target/process.h"

namespace flametap::cli {

class SourceFiles {
 public:
  // A process whose root cannot be opened is passed over. Files are read with its rights, not with ours.
  void add(const target::Process& process);
  // Whose rights the processes have now: they may have given some up.
  void look_again();

  // In UTF-8: a file that is none is taken for Latin-1. Nothing if it cannot be read or is no text, is larger than a
  // profile keeps, was changed after `unix_ns`, or is another one for another process. A relative path is looked for
  // where each process was.
  [[nodiscard]] std::optional<std::string> read(const std::string& path, std::uint64_t unix_ns) const;

 private:
  struct Place {
    Fd root;
    std::string folder;  // the process's working directory
    target::Process process;
    target::Credentials reader;
  };
  [[nodiscard]] Fd open(const Place& place, const std::string& path) const;

  std::vector<Place> places_;
};

// Adds the files of own code and libraries whose functions are in the profile; those that are left out are counted in
// Quality::more.
void add_sources(const SourceFiles& files, profile::Profile& profile);

}  // namespace flametap::cli

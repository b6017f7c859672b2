// For tests: what nm, llvm-symbolizer, objcopy and strip say and do, as independent witnesses.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "target/elf_file.h"

namespace flametap::native {

// The output of a shell command, which must succeed.
inline std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t length; (length = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, length);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

struct NmSymbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  char kind = '?';
  std::string name;
};

// The functions that have a size, from "0000000000001139 000000000000000b T name".
inline std::vector<NmSymbol> nm_functions(const std::string& path, const std::string& options = "") {
  std::istringstream lines(output_of("nm -S --defined-only " + options + " '" + path + "'"));
  std::vector<NmSymbol> symbols;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    NmSymbol symbol;
    words >> std::hex >> symbol.address >> symbol.size >> symbol.kind >> symbol.name;
    if (!words || std::string("TtWwi").find(symbol.kind) == std::string::npos) continue;
    symbol.name = symbol.name.substr(0, symbol.name.find('@'));
    symbols.push_back(symbol);
  }
  return symbols;
}

struct Witness {
  std::string name;
  std::string file;
  int line = 0;
};

// For each address its frames, the innermost first, by llvm-symbolizer: addr2line gives some lines the wrong file.
inline std::vector<std::vector<Witness>> symbolize(const std::string& path,
                                                   const std::vector<std::uint64_t>& addresses) {
  const std::string file = ::testing::TempDir() + "/symbolize." + std::to_string(::getpid());
  FILE* const list = std::fopen(file.c_str(), "w");
  for (const std::uint64_t address : addresses) {
    std::fprintf(list, "0x%llx\n", static_cast<unsigned long long>(address));
  }
  std::fclose(list);
  std::istringstream lines(
      output_of("llvm-symbolizer --inlines --no-demangle --functions=linkage --obj='" + path + "' <'" + file + "'"));
  std::filesystem::remove(file);
  std::vector<std::vector<Witness>> result(1);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      result.emplace_back();
      continue;
    }
    Witness frame{.name = line, .file = "", .line = 0};
    std::getline(lines, line);
    line.resize(line.rfind(':'));
    const std::size_t colon = line.rfind(':');
    frame.line = std::atoi(line.c_str() + colon + 1);
    if (frame.line != 0) frame.file = line.substr(0, colon);
    result.back().push_back(frame);
  }
  result.pop_back();
  return result;
}

inline target::ElfFile open_or_die(const std::string& path) {
  Result<target::ElfFile> file = target::ElfFile::open(path);
  EXPECT_TRUE(file) << file.error().message;
  return std::move(*file);
}

// A folder that is removed at the end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = ::testing::TempDir() + "/flametap-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace flametap::native

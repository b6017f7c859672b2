// Answers for the tests of real interpreters what src/cpython makes of bytes that they gave, or of their memory:
//
//   cpython_check lines            stdin: lines of "KIND FIRST_LINE TABLE_IN_HEX INSTRUCTION:LINE...", where LINE is -1
//                                  for none. Prints each wrong answer, then how many were checked.
//   cpython_check debug-offsets    stdin: the start of _PyRuntime. Prints the layout: "FIELD NUMBER" lines.
//   cpython_check version          stdin: writable memory of an interpreter. Prints the version found in it.
//   cpython_check trace-refs       Prints the symbols that tell a build with Py_TRACE_REFS.
//   cpython_check names            stdin: "PID TIMES". Reads the names of its threads that often. Prints each time
//                                  "IDENT NAME" lines, those of the threads that have no name too, and an empty line.
#include <cstdint>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "cpython/debug_offsets.h"
#include "cpython/interpreter.h"
#include "cpython/layout_table.h"
#include "cpython/line_table.h"
#include "cpython/thread_names.h"
#include "cpython/version.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace {

using namespace flametap;
using namespace flametap::cpython;

std::vector<std::byte> all_of_stdin() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

LineTableKind kind_named(const std::string& name) {
  if (name == "lnotab_unsigned") return LineTableKind::lnotab_unsigned;
  if (name == "lnotab_signed") return LineTableKind::lnotab_signed;
  return name == "ranges" ? LineTableKind::ranges : LineTableKind::locations;
}

struct Tally {
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
};

void check_code(const std::string& row, Tally& tally) {
  std::istringstream words(row);
  std::string kind_name, hex;
  std::int32_t first_line = 0;
  words >> kind_name >> first_line >> hex;
  const LineTableKind kind = kind_named(kind_name);
  const auto table = from_hex(hex);
  const LineMap map(kind, table, first_line);
  std::int32_t instruction = 0, line = 0;
  char colon = 0;
  while (words >> instruction >> colon >> line) {
    ++tally.checked;
    const std::int32_t once = line_of(kind, table, first_line, instruction).value_or(-1);
    const std::int32_t mapped = map.line_at(instruction).value_or(-1);
    if (once == line && mapped == line) continue;
    ++tally.wrong;
    std::cout << kind_name << ' ' << first_line << ' ' << hex << " at " << instruction << ": " << line << ", not "
              << once << " or " << mapped << '\n';
  }
}

int check_lines() {
  Tally tally;
  for (std::string row; std::getline(std::cin, row);) check_code(row, tally);
  std::cout << tally.checked << " checked\n";
  return tally.wrong == 0 ? 0 : 1;
}

int print_debug_offsets() {
  auto layout = layout_from_debug_offsets(all_of_stdin());
  if (!layout) {
    std::cerr << layout.error().message << '\n';
    return 1;
  }
  const auto known = find_self_described(layout->version, layout->free_threaded);
  for (const DescribedField& field : known->shape->fields) {
    std::cout << field.name << ' ' << field.place(*layout) << '\n';
  }
  std::cout << "thread.stack_top " << layout->thread.stack_top << '\n'
            << "code.unit_count " << layout->code.unit_count << '\n'
            << "code.flags " << layout->code.flags << '\n'
            << "code.unique_version " << layout->code.unique_version << '\n'
            << "text.compact_data " << layout->text.compact_data << '\n'
            << "text.separate_data " << layout->text.separate_data << '\n'
            << "text.kind_shift " << int{layout->text.kind_shift} << '\n';
  return 0;
}

int print_version() {
  const auto version = find_version_string(all_of_stdin());
  std::cout << (version ? to_string(*version) : "none") << '\n';
  return 0;
}

int print_trace_refs_symbols() {
  for (const std::string_view symbol : trace_refs_symbols()) std::cout << symbol << '\n';
  return 0;
}

int print_names() {
  pid_t pid = 0;
  int times = 0;
  std::cin >> pid >> times;
  const auto process = target::Process::open(pid);
  target::ProcessMemory memory(pid);
  const auto found = process ? find_interpreter(*process, memory) : process.error();
  if (!found) {
    std::cerr << found.error().message << '\n';
    return 1;
  }
  for (; times > 0; --times) {
    const ThreadList list = read_threads(memory, found->layout, found->runtime);
    ThreadNames names = read_thread_names(memory, found->layout, list);
    for (const PythonThread& thread : list.threads) std::cout << thread.ident << ' ' << names[thread.ident] << '\n';
    std::cout << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view question = argc == 2 ? argv[1] : "";
  if (question == "lines") return check_lines();
  if (question == "debug-offsets") return print_debug_offsets();
  if (question == "version") return print_version();
  if (question == "trace-refs") return print_trace_refs_symbols();
  if (question == "names") return print_names();
  std::cerr << "usage: cpython_check lines|debug-offsets|version|trace-refs|names\n";
  return 2;
}

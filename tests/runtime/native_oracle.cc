// What elfutils says of the C stacks of a process: the second opinion that native frames are compared with.
//
//   native_oracle PID
//
// Stops each thread, as long as its stack is read, and prints
//   {"threads": [{"id": 7, "end": "", "frames": [{"pc": 1, "module": "/x.so", "names": ["raw symbol", ...],
//                                                 "has_rules": true}, ...]}, ...]}
// innermost frame first. `names` are all symbols that begin where the one that covers the address does: an alias is as
// good as another. `has_rules`: its file says how to find the caller; where it does not, elfutils guesses.
// `end` is why elfutils went no further; empty: it came to the outermost frame.
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

constexpr int kMaxFrames = 100000;

struct DwflEnd {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

// The names of each address at which symbols of a module begin, looked up once per module.
class Symbols {
 public:
  std::vector<std::string> at(Dwfl_Module* module, GElf_Addr pc) {
    GElf_Off offset = 0;
    GElf_Sym symbol = {};
    if (dwfl_module_addrinfo(module, pc, &offset, &symbol, nullptr, nullptr, nullptr) == nullptr) return {};
    const auto& names = names_of(module);
    const auto found = names.find(pc - offset);
    return found == names.end() ? std::vector<std::string>{} : found->second;
  }

 private:
  using Names = std::map<GElf_Addr, std::vector<std::string>>;

  const Names& names_of(Dwfl_Module* module) {
    const auto [place, is_new] = modules_.try_emplace(module);
    if (!is_new) return place->second;
    const int count = dwfl_module_getsymtab(module);
    for (int index = 0; index < count; ++index) {
      GElf_Sym symbol = {};
      GElf_Addr address = 0;
      const char* name = dwfl_module_getsym_info(module, index, &symbol, &address, nullptr, nullptr, nullptr);
      if (name != nullptr && *name != '\0') place->second[address].emplace_back(name);
    }
    return place->second;
  }

  std::map<Dwfl_Module*, Names> modules_;
};

struct Walk {
  Dwfl* dwfl;
  Symbols symbols;
  json threads = json::array();
  json frames;
};

bool says_how_to_go_on(Dwarf_CFI* rules, Dwarf_Addr pc) {
  Dwarf_Frame* found = nullptr;
  if (rules == nullptr || dwarf_cfi_addrframe(rules, pc, &found) != 0) return false;
  std::free(found);
  return true;
}

bool has_rules(Dwfl_Module* module, Dwarf_Addr pc) {
  Dwarf_Addr bias = 0;
  Dwarf_CFI* const loaded = dwfl_module_eh_cfi(module, &bias);
  if (says_how_to_go_on(loaded, pc - bias)) return true;
  Dwarf_CFI* const debugging = dwfl_module_dwarf_cfi(module, &bias);
  return says_how_to_go_on(debugging, pc - bias);
}

int on_frame(Dwfl_Frame* frame, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  Dwarf_Addr pc = 0;
  bool is_activation = false;
  if (!dwfl_frame_pc(frame, &pc, &is_activation)) return DWARF_CB_ABORT;
  if (!is_activation) --pc;  // into the calling instruction, which may be the last one of its function
  json described = {{"pc", pc}, {"module", ""}, {"names", json::array()}, {"has_rules", false}};
  if (Dwfl_Module* module = dwfl_addrmodule(walk.dwfl, pc)) {
    const char* main_file = nullptr;
    const char* name = dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, &main_file, nullptr);
    described["names"] = walk.symbols.at(module, pc);
    described["has_rules"] = has_rules(module, pc);
    described["module"] = name != nullptr ? name : "";
  }
  walk.frames.push_back(std::move(described));
  return walk.frames.size() < kMaxFrames ? DWARF_CB_OK : DWARF_CB_ABORT;
}

int on_thread(Dwfl_Thread* thread, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  walk.frames = json::array();
  const int result = dwfl_thread_getframes(thread, on_frame, argument);
  const char* reason = result == 0 ? "" : dwfl_errmsg(-1);
  walk.threads.push_back({{"id", dwfl_thread_tid(thread)}, {"end", reason}, {"frames", std::move(walk.frames)}});
  return DWARF_CB_OK;
}

bool report_modules(Dwfl* dwfl, pid_t pid) {
  return dwfl_linux_proc_report(dwfl, pid) == 0 && dwfl_report_end(dwfl, nullptr, nullptr) == 0 &&
         dwfl_linux_proc_attach(dwfl, pid, false) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: native_oracle PID\n";
    return 2;
  }
  char* no_folder = nullptr;
  Dwfl_Callbacks callbacks = {};
  callbacks.find_elf = dwfl_linux_proc_find_elf;
  callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  callbacks.debuginfo_path = &no_folder;
  const std::unique_ptr<Dwfl, DwflEnd> dwfl(dwfl_begin(&callbacks));
  if (!dwfl || !report_modules(dwfl.get(), std::atoi(argv[1]))) {
    std::cerr << "native_oracle: " << dwfl_errmsg(-1) << "\n";
    return 1;
  }
  Walk walk = {dwfl.get(), {}, json::array(), {}};
  if (dwfl_getthreads(dwfl.get(), on_thread, &walk) != 0) {
    std::cerr << "native_oracle: " << dwfl_errmsg(-1) << "\n";
    return 1;
  }
  std::cout << json{{"threads", walk.threads}}.dump() << "\n";
  return 0;
}

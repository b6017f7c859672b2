// For tests: the stack of a stopped thread as libdwfl sees it. An unwinder that shares with ours nothing but the parser
// of the tables: it reads the live process word by word.
#pragma once

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <sys/types.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace flametap::native {

class DwflOracle {
 public:
  struct Call {
    std::uint64_t pc = 0;  // as in Frame
    std::uint64_t stack_pointer = 0;
    bool operator==(const Call&) const = default;
  };
  struct Stack {
    std::vector<Call> calls;
    bool complete = false;
  };

  explicit DwflOracle(pid_t pid) : dwfl_(dwfl_begin(&kCallbacks)) {
    if (dwfl_linux_proc_report(dwfl_.get(), pid) != 0 || dwfl_report_end(dwfl_.get(), nullptr, nullptr) != 0 ||
        dwfl_linux_proc_attach(dwfl_.get(), pid, true) != 0) {
      std::abort();
    }
  }

  // The thread must be stopped by us.
  [[nodiscard]] Stack unwind(pid_t tid) {
    Stack stack;
    stack.complete = dwfl_getthread_frames(dwfl_.get(), tid, take_frame, &stack.calls) == 0;
    return stack;
  }

 private:
  struct DwflEnd {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };

  static int take_frame(Dwfl_Frame* frame, void* calls) {
    Dwarf_Addr pc = 0;
    bool activation = false;
    if (!dwfl_frame_pc(frame, &pc, &activation)) return DWARF_CB_ABORT;
    Dwarf_Word stack_pointer = 0;
    if (dwfl_frame_reg(frame, 7, &stack_pointer) != 0) stack_pointer = 0;
    static_cast<std::vector<Call>*>(calls)->push_back({pc - (activation ? 0 : 1), stack_pointer});
    return DWARF_CB_OK;
  }

  // Only what is in the files themselves, as we have it.
  static int find_no_debuginfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word,
                               char**) {
    return -1;
  }

  static constexpr Dwfl_Callbacks kCallbacks{dwfl_linux_proc_find_elf, find_no_debuginfo, nullptr, nullptr};

  std::unique_ptr<Dwfl, DwflEnd> dwfl_;
};

}  // namespace flametap::native

#include "tracer/teacher.h"

#include "target/process.h"
#include "tracer/python_layout.h"

namespace flametap::tracer {

void Teacher::meet(const events::Thread& thread) { untaught_.insert(thread.pid); }

void Teacher::teach() {
  std::erase_if(untaught_, [this](pid_t pid) {
    const Python* const python = pythons_.find(pid);
    // Of a process that ended there is nothing to find out any more.
    if (python == nullptr) return !target::Process::open(pid).ok();
    if (const auto layout = python_layout(*python->interpreter)) probes_.teach(pid, *layout);
    return true;
  });
}

}  // namespace flametap::tracer

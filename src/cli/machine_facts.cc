#include "cli/machine_facts.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "target/interrupter.h"
#include "target/process_events.h"

namespace flametap::cli {
namespace {

std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

MachineFacts look_at_machine() {
  MachineFacts facts;
  facts.version = FLAMETAP_VERSION;
  utsname names{};
  if (::uname(&names) == 0) {
    facts.kernel = std::string(names.sysname) + " " + names.release;
    facts.architecture = names.machine;
  }
  facts.usable_cpus = usable_cpus();
  facts.online_cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  facts.us = target::look_around();
  facts.child = try_own_child();
  if (const auto events = target::ProcessEvents::open(); !events) facts.no_process_events = events.error().message;
  if (const auto interrupter = target::Interrupter::load(); !interrupter) {
    facts.no_interrupts = interrupter.error().message;
  }
  return facts;
}

}  // namespace flametap::cli

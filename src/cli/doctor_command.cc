#include "cli/doctor_command.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <string>

#include "cli/diagnostics.h"
#include "cli/step_trial.h"
#include "format/output_file.h"
#include "format/text.h"
#include "sampler/process_sampler.h"
#include "target/process.h"
#include "target/rights.h"

namespace flametap::cli {
namespace {

std::string row(const std::string& name, const std::string& value) { return fmt::format("  {:<16}{}\n", name, value); }

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

std::string kernel() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

// "0-1, 4": the CPUs of an affinity mask.
std::string usable_cpus() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return "unknown";
  std::string text;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &allowed)) continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &allowed)) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    first = last;
  }
  return fmt::format("{} of {}: {}", CPU_COUNT(&allowed), ::sysconf(_SC_NPROCESSORS_ONLN), text);
}

std::string yama(std::optional<int> scope) {
  if (!scope) return "not there: no limit by Yama";
  switch (*scope) {
    case 0:
      return "0: any process of our own user";
    case 1:
      return "1: only processes that we start, unless root";
    case 2:
      return "2: only root";
    default:
      return fmt::format("{}: nobody, not even root, can stop a process", *scope);
  }
}

std::string machine() {
  std::string text = "This machine\n";
  text += row("flametap", FLAMETAP_VERSION);
  text += row("kernel", kernel());
  text += row("CPUs", usable_cpus());
  text += row("user", fmt::format("uid {}, effective {}", ::getuid(), ::geteuid()));
  if (const auto self = target::Process::open(::getpid())) {
    const target::RightsFacts facts = target::gather_rights(*self);
    text += row("CAP_SYS_PTRACE", yes_or_no(facts.we_may_trace));
    text += row("ptrace_scope", yama(facts.yama_scope));
    text += row("container", facts.in_container ? "we run in one" : "none seen");
  }
  const ChildTrial child = try_own_child();
  text += row("read a child", child.read);
  text += row("pause a child", child.pause);
  return text;
}

std::string namespaces(const target::Process& process) {
  const auto mount = process.same_mount_namespace();
  const auto pid = process.in_pid_namespace();
  std::string text = mount && !*mount ? "its own files" : "our files";
  text += pid && *pid ? ", its own pids" : ", our pids";
  return text;
}

std::string what_runs(const target::Process& process) {
  std::string text = row("command", format::clean(process.command()));
  if (const auto status = process.status()) {
    text += row("user", fmt::format("uid {}", status->effective_uid));
    if (status->tracer != 0) text += row("traced by", fmt::format("{}, so that it cannot be paused", status->tracer));
  }
  if (const auto threads = process.threads()) text += row("threads", fmt::format("{} in all", threads->size()));
  return text + row("namespaces", namespaces(process));
}

std::string interpreter(const cpython::Interpreter& found) {
  std::string text = row("Python", cpython::to_string(found.version));
  text += row("found by", fmt::format("{} in {}", found.found_by, format::clean(found.file)));
  std::string layout = found.layout.exact ? "known exactly" : "newer than we know; taken from its own description";
  if (found.layout.free_threaded) layout += "; free-threaded";
  if (found.layout.trace_refs) layout += "; built with Py_TRACE_REFS";
  return text + row("layout", layout);
}

std::string trials(sampler::ProcessSampler& sampler) {
  std::string text;
  for (const ThreadTrial& thread : try_threads(sampler)) {
    text += fmt::format("  Python thread {}{}\n", thread.tid,
                        thread.name.empty() ? "" : " \"" + format::clean(thread.name) + "\"");
    text += "  " + row("free reading", thread.free_reading);
    text += "  " + row("ride along", thread.ride_along);
    text += "  " + row("pause", thread.pause);
  }
  return text.empty() ? row("steps", "no Python thread now") : text;
}

// The exit code that record would have; the report goes on as far as it can.
Result<void> examine(pid_t pid, std::string& text) {
  text += fmt::format("\nProcess {}\n", pid);
  const auto process = target::Process::open(pid);
  if (!process) return process.error();
  text += what_runs(*process);
  const auto attached = sampler::ProcessSampler::attach(pid, {});
  if (!attached) return attached.error();
  text += interpreter((*attached)->interpreter());
  text += trials(**attached);
  return {};
}

}  // namespace

int doctor(std::optional<pid_t> pid) {
  std::string text = machine();
  const Result<void> examined = pid ? examine(*pid, text) : Result<void>{};
  const auto written = format::write_output("-", text);
  if (!written) return fail(written.error());
  if (!examined) return fail(cannot("record", *pid, examined.error()));
  return 0;
}

}  // namespace flametap::cli

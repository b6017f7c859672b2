#include "cli/doctor_report.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>
#include <string_view>

#include "cli/abilities.h"
#include "format/text.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kMaxFiles = 20;

std::string row(std::string_view name, std::string_view value) { return fmt::format("  {:<16}{}\n", name, value); }

// The same lines, each of them wrapped: what follows a row begins where its value does.
std::string wrapped_rows(std::string_view rows, Columns columns) {
  constexpr std::size_t kValue = 18;
  std::string text;
  while (!rows.empty()) {
    const std::string_view line = rows.substr(0, rows.find('\n'));
    rows.remove_prefix(std::min(line.size() + 1, rows.size()));
    const std::size_t value = std::min(line.size(), kValue);
    text.append(line.substr(0, value)).append(wrapped(line.substr(value), columns, value, kValue)).append("\n");
  }
  return text;
}

std::string title(std::string_view text, bool colour) {
  return colour ? fmt::format("\x1b[1m{}\x1b[0m\n", text) : fmt::format("{}\n", text);
}

std::string yama(std::optional<int> scope) {
  if (!scope) return "not there: no limit by Yama";
  switch (*scope) {
    case 0:
      return "0: any process of our own user";
    case 1:
      return "1: only processes that we start, without CAP_SYS_PTRACE";
    case 2:
      return "2: none, without CAP_SYS_PTRACE";
    default:
      return fmt::format("{}: none, not even for root", *scope);
  }
}

std::string own_namespaces(const target::Surroundings& us) {
  if (!us.own_user_namespace && !us.own_pid_namespace) return "the machine's own";
  std::string text = us.own_user_namespace ? "users apart from the machine's" : "the machine's users";
  return text + (us.own_pid_namespace ? ", pids apart from the machine's" : ", the machine's pids");
}

std::string about_machine(const MachineFacts& facts) {
  const target::Surroundings& us = facts.us;
  std::string text = row("flametap", facts.version);
  text += row("kernel", facts.kernel + ", " + facts.architecture);
  text += row("CPUs",
              fmt::format("{} of {}: {}", facts.usable_cpus.size(), facts.online_cpus, cpu_list(facts.usable_cpus)));
  const std::string container = target::to_string(us.container.kind);
  text += row("container", us.in_container() ? container + ", told by " + us.container.mark : container);
  text += row("namespaces", own_namespaces(us));
  text += row("user", fmt::format("{} (uid {})", target::user_name(us.user), us.user));
  text += row("CAP_SYS_PTRACE", us.has(CAP_SYS_PTRACE) ? "yes" : "no");
  text += row("CAP_NET_ADMIN", us.has(CAP_NET_ADMIN) ? "yes" : "no");
  text += row("CAP_BPF", us.has(CAP_BPF) ? "yes" : "no");
  text += row("CAP_PERFMON", us.has(CAP_PERFMON) ? "yes" : "no");
  text += row("ptrace_scope", yama(us.yama_scope));
  return text + row("seccomp", us.seccomp_filter ? "a filter, which may deny some system calls" : "no filter");
}

std::string mark(Grade grade, bool colour) {
  const std::string_view sign = grade == Grade::works ? "✓" : grade == Grade::partly ? "~" : "✗";
  const int code = grade == Grade::works ? 32 : grade == Grade::partly ? 33 : 31;
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, sign) : std::string(sign);
}

std::string about_abilities(const std::vector<Ability>& abilities, bool colour, Columns columns) {
  std::string text;
  for (const Ability& ability : abilities) {
    const bool works = ability.grade == Grade::works;
    const std::string remark = works && !ability.why.empty() ? ": " + ability.why : "";
    text += fmt::format("  {} {}\n", mark(ability.grade, colour), wrapped(ability.name + remark, columns, 4, 6));
    if (works) continue;
    text += fmt::format("      why: {}\n      try: {}\n", wrapped(ability.why, columns, 11, 11), ability.remedy);
  }
  return text;
}

std::string build(const InterpreterFacts& facts) {
  std::string text = facts.in_program ? "part of the program" : "a library";
  if (facts.all_symbols) text += *facts.all_symbols ? ", with all symbols" : ", stripped";
  if (facts.debug) text += ", a debug build";
  if (facts.trace_refs) text += " with Py_TRACE_REFS";
  if (facts.free_threaded) text += ", free-threaded";
  return text;
}

std::string layout(const InterpreterFacts& facts) {
  if (!facts.self_described) return "from our table, as of " + facts.layout;
  return facts.exact ? "from its self-description, of a version that we know"
                     : "from its self-description; it is newer than we know";
}

std::string about_interpreter(const InterpreterFacts& facts) {
  std::string text = row("Python", facts.version);
  text += row("in", format::clean(facts.file));
  if (!facts.missing_file.empty())
    text += row("", format::clean(facts.missing_file) + "; what is in memory is read instead");
  text += row("build", build(facts));
  text += row("found by", facts.found_by == "scan" ? "looking through its memory, as no symbol leads to its state"
                                                   : facts.found_by);
  text += row("layout", layout(facts));
  text += row("thread names",
              facts.tells_thread_names ? "yes" : "the kernel's only: this build's dictionaries are not known");
  return text + row("waits for GIL", facts.tells_gil_waits ? "told apart"
                                                           : "shown as idle: without all its symbols, or the right to "
                                                             "read its system calls, nobody knows");
}

std::string about_trials(const std::vector<ThreadTrial>& trials) {
  std::string text;
  for (const ThreadTrial& thread : trials) {
    text += thread.tid != 0 ? fmt::format("  thread {}", thread.tid) : "  thread";
    text += (thread.name.empty() ? "" : " \"" + format::clean(thread.name) + "\"") + "\n";
    text += "  " + row("free reading", thread.free_reading);
    text += "  " + row("interrupt", thread.interrupt);
    text += "  " + row("ride along", thread.ride_along);
    text += "  " + row("pause", thread.pause);
  }
  return text.empty() ? row("steps", "no Python thread now") : text;
}

std::string about_files(const std::vector<std::string>& files) {
  std::string text;
  for (std::size_t i = 0; i < files.size() && i < kMaxFiles; ++i) {
    text += row(i == 0 ? "looked at" : "", format::clean(files[i]));
  }
  return files.size() <= kMaxFiles ? text : text + row("", fmt::format("and {} more", files.size() - kMaxFiles));
}

std::string about_process(const ProcessFacts& facts) {
  std::string text;
  if (!facts.command.empty()) text += row("command", format::clean(facts.command));
  if (facts.user) text += row("user", fmt::format("{} (uid {})", target::user_name(*facts.user), *facts.user));
  if (facts.tracer != 0) text += row("traced by", fmt::format("{}, so that it cannot be paused", facts.tracer));
  if (facts.threads) text += row("threads", std::to_string(*facts.threads));
  if (facts.same_files && facts.same_pids) {
    text += row("namespaces", fmt::format("{} files, {} pids", *facts.same_files ? "our" : "its own",
                                          *facts.same_pids ? "our" : "its own"));
  }
  if (facts.interpreter) text += about_interpreter(*facts.interpreter) + about_trials(facts.trials);
  return text + about_files(facts.looked_at);
}

}  // namespace

std::string cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(cpus[first]);
    if (last > first) text += "-" + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

std::string to_text(const Diagnosis& diagnosis, bool colour, Columns columns) {
  std::string text = title("This machine", colour) + wrapped_rows(about_machine(diagnosis.machine), columns);
  text +=
      "\n" + title("What flametap can do here", colour) + about_abilities(judge(diagnosis.machine), colour, columns);
  if (!diagnosis.process) return text;
  return text + "\n" + title(fmt::format("Process {}", diagnosis.process->pid), colour) +
         wrapped_rows(about_process(*diagnosis.process), columns);
}

}  // namespace flametap::cli

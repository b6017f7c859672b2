#include <linux/capability.h>

#include <nlohmann/json.hpp>

#include "cli/abilities.h"
#include "cli/doctor_report.h"

namespace flametap::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json of_machine(const MachineFacts& facts) {
  const target::Surroundings& us = facts.us;
  return {{"flametap", facts.version},
          {"kernel", facts.kernel},
          {"architecture", facts.architecture},
          {"usable_cpus", facts.usable_cpus},
          {"online_cpus", facts.online_cpus},
          {"container", us.in_container() ? Json(target::to_string(us.container.kind)) : Json(nullptr)},
          {"own_user_namespace", us.own_user_namespace},
          {"own_pid_namespace", us.own_pid_namespace},
          {"uid", us.user},
          {"capabilities",
           {{"CAP_SYS_PTRACE", us.has(CAP_SYS_PTRACE)},
            {"CAP_NET_ADMIN", us.has(CAP_NET_ADMIN)},
            {"CAP_BPF", us.has(CAP_BPF)},
            {"CAP_PERFMON", us.has(CAP_PERFMON)}}},
          {"ptrace_scope", or_null(us.yama_scope)},
          {"seccomp_filter", us.seccomp_filter}};
}

Json of_abilities(const std::vector<Ability>& abilities) {
  Json all = Json::array();
  for (const Ability& ability : abilities) {
    all.push_back(
        {{"name", ability.name}, {"grade", to_string(ability.grade)}, {"why", ability.why}, {"try", ability.remedy}});
  }
  return all;
}

Json of_interpreter(const InterpreterFacts& facts) {
  return {{"version", facts.version},
          {"file", facts.file},
          {"in_program", facts.in_program},
          {"missing_file", facts.missing_file},
          {"all_symbols", or_null(facts.all_symbols)},
          {"debug", facts.debug},
          {"trace_refs", facts.trace_refs},
          {"free_threaded", facts.free_threaded},
          {"found_by", facts.found_by},
          {"self_described", facts.self_described},
          {"exact", facts.exact},
          {"layout", facts.layout},
          {"tells_thread_names", facts.tells_thread_names},
          {"tells_gil_waits", facts.tells_gil_waits}};
}

Json of_process(const ProcessFacts& facts) {
  Json threads = Json::array();
  for (const ThreadTrial& thread : facts.trials) {
    threads.push_back({{"id", thread.tid == 0 ? Json(nullptr) : Json(thread.tid)},
                       {"name", thread.name},
                       {"free_reading", thread.free_reading},
                       {"interrupt", thread.interrupt},
                       {"ride_along", thread.ride_along},
                       {"pause", thread.pause}});
  }
  const Json error = facts.error ? Json{{"exit_code", static_cast<int>(facts.error->kind)},
                                        {"why", facts.error->message},
                                        {"try", facts.error->remedy}}
                                 : Json(nullptr);
  return {{"pid", facts.pid},
          {"command", facts.command},
          {"uid", or_null(facts.user)},
          {"tracer", facts.tracer},
          {"thread_count", or_null(facts.threads)},
          {"same_files", or_null(facts.same_files)},
          {"same_pids", or_null(facts.same_pids)},
          {"python", facts.interpreter ? of_interpreter(*facts.interpreter) : Json(nullptr)},
          {"threads", std::move(threads)},
          {"looked_at", facts.looked_at},
          {"error", error}};
}

}  // namespace

std::string to_json(const Diagnosis& diagnosis) {
  const Json whole{{"machine", of_machine(diagnosis.machine)},
                   {"abilities", of_abilities(judge(diagnosis.machine))},
                   {"process", diagnosis.process ? of_process(*diagnosis.process) : Json(nullptr)}};
  // What is not UTF-8 in a name becomes U+FFFD instead of an exception.
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flametap::cli

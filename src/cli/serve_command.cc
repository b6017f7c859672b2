#include "cli/serve_command.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "cli/diagnostics.h"
#include "cli/token_file.h"
#include "cpython/version.h"
#include "sampler/process_sampler.h"
#include "server/ascii.h"
#include "server/program.h"
#include "server/server.h"
#include "store/data_folder.h"
#include "store/sqlite_store.h"
#include "store/trusted_time.h"
#include "target/process.h"
#include "target/process_tree.h"
#include "viewer/page.h"

namespace flametap::cli {
namespace {

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

bool is_for_everybody(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

Result<server::AccessRules> access_rules(const ServeRequest& request) {
  server::AccessRules rules{.hosts = {"localhost", "127.0.0.1", "[::1]"}};
  if (!request.token_file.empty()) {
    auto token = read_token(request.token_file);
    if (!token) return token.error();
    rules.token = std::move(*token);
  } else if (!is_loopback(request.address) && !request.no_auth) {
    return Error{Failure::usage, "whoever reaches " + request.address + " could read and delete all profiles",
                 "--token-file FILE, or --no-auth if that is meant to be"};
  }
  const bool is_v6 = request.address.find(':') != std::string::npos;
  rules.hosts.push_back(is_v6 ? fmt::format("[{}]", server::lower(request.address)) : request.address);
  for (const std::string& host : request.hosts) rules.hosts.push_back(server::lower(host));
  rules.any_address = is_for_everybody(request.address);
  return rules;
}

std::vector<server::PythonProcess> python_processes() {
  std::vector<server::PythonProcess> found;
  for (const pid_t pid : target::all_processes()) {
    if (pid == ::getpid()) continue;
    const auto process = target::Process::open(pid);
    if (!process) continue;
    const auto attached = sampler::ProcessSampler::attach(pid, {});
    if (!attached) continue;
    found.push_back({pid, process->command(), cpython::to_string((*attached)->interpreter().version)});
  }
  return found;
}

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "flametap";
}

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

server::Page page() {
  return {.html = viewer::page({.title = "flametap", .served = true}), .policy = viewer::content_security_policy(true)};
}

store::Retention retention(const ServeRequest& request) {
  store::Retention retention{.max_bytes = request.keep_bytes};
  if (request.keep_days) retention.max_age = std::min<std::uint64_t>(*request.keep_days, 36'500) * store::kDay;
  return retention;
}

Result<void> run(const ServeRequest& request, const server::AccessRules& rules) {
  const auto path = request.data.empty() ? store::DataFolder::usual_path() : Result<std::string>(request.data);
  if (!path) return path.error();
  const auto folder = store::DataFolder::open(*path);
  if (!folder) return folder.error();
  const auto store = store::SqliteStore::open(folder->database());
  if (!store) return store.error();
  if (const auto cleaned = (*store)->clean(retention(request), unix_now()); !cleaned)
    (void)fail(cleaned.error().within("old profiles could not be deleted"));

  if (request.keep_days && (*store)->doubts_the_clock()) {
    fmt::print(stderr,
               "flametap: the clock is more than a day ahead of when this folder was last used; nothing is deleted for "
               "having become too old since, until the clock has gone on for a day\n");
  }

  server::LiveRecordings live;
  server::Intake intake(**store, retention(request));
  server::Recordings recordings({.program = own_program(),
                                 .folder = folder->live(),
                                 .host = machine_name(),
                                 .complain = [](const Error& error) { (void)fail(error); }},
                                intake, live);
  if (const std::size_t adopted = recordings.adopt(); adopted > 0)
    fmt::print(stderr, "flametap: recordings of a server that did not end in order, now kept: {}\n", adopted);
  const auto program = server::running_program();
  const server::Service service(
      {.access = rules,
       .page = page(),
       .max_upload = request.max_upload,
       .list_processes = python_processes,
       .program = program ? *program : nullptr},
      {.store = **store, .intake = intake, .live = live, .recordings = request.allow_record ? &recordings : nullptr});
  auto server = server::Server::listen(
      {.address = request.address, .port = request.port, .max_held_bytes = 8 * request.max_upload}, service);
  if (!server) return server.error();
  (*server)->stop_on_signals();
  if (request.allow_record && rules.token.empty()) {
    fmt::print(
        stderr,
        "flametap: whoever reaches this server can record processes with your rights; --token-file FILE keeps others "
        "out\n");
  }
  fmt::print(stderr, "flametap: listening on {}, profiles in {}\n", (*server)->url(), *path);
  (*server)->run();
  (*store)->note_time(unix_now());
  return {};
}

}  // namespace

int serve(const ServeRequest& request) {
  const auto rules = access_rules(request);
  if (!rules) return fail(rules.error());
  const auto served = run(request, *rules);
  return served ? 0 : fail(served.error());
}

}  // namespace flametap::cli

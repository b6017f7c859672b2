#include "cli/record_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <utility>
#include <variant>

#include "cli/diagnostics.h"
#include "cli/journal.h"
#include "cli/launch.h"
#include "cli/live_page.h"
#include "cli/output.h"
#include "cli/own_session.h"
#include "cli/progress_line.h"
#include "cli/python_search.h"
#include "cli/signals.h"
#include "cli/source_sink.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/text_fit.h"
#include "cpython/version.h"
#include "format/html.h"
#include "format/output_file.h"
#include "format/program_name.h"
#include "format/stats.h"
#include "profile/filter.h"
#include "sampler/cpu_seat.h"
#include "sampler/family.h"
#include "sampler/process_sampler.h"
#include "sampler/recorder.h"
#include "sampler/successors.h"
#include "server/push.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kSummaryIndent = 4;  // of what does not fit into a line

using sampler::ProcessSampler;
using Samplers = std::vector<std::unique_ptr<ProcessSampler>>;

constexpr std::size_t kMostChildrenLookedAt = 100;

ProcessSampler::Options sampler_options(const RecordRequest& request) {
  ProcessSampler::Options options;
  options.lines = request.lines;
  if (request.interrupt) {
    if (auto interrupter = target::Interrupter::load()) options.interrupter = std::move(*interrupter);
  }
  options.pause = request.pause;
  options.native = request.native;
  return options;
}

sampler::Recorder::Options recorder_options(const RecordRequest& request) {
  sampler::Recorder::Options options;
  options.rate_hz = request.rate_hz;
  options.duration = request.duration;
  options.seed = monotonic_now();
  return options;
}

Result<Output> plan(const RecordRequest& request) {
  auto output = plan_output(request.output, request.format);
  if (!output) return output.error();
  if (!request.stats.empty()) {
    if (const auto writable = check_writable(request.stats); !writable) return writable.error();
  }
  return output;
}

std::string default_path(const ProcessSampler& process, format::Format format) {
  const auto words = process.process().command_line();
  return default_name(words ? *words : std::vector<std::string>{}, process.process().pid(), format::extension(format));
}

// Some formats keep everything, so that each mode can be made of it later.
Result<profile::Profile> shown_part(const RecordRequest& request, const Output& output, const profile::Profile& all) {
  const bool everything = format::keeps_everything(output.format);
  return profile::filter(all, {.mode = everything ? profile::Mode::wall : request.mode,
                               .drop_lines = !request.lines,
                               .by_thread = request.by_thread && !everything});
}

// The page has the journal itself, as it is: a long recording need not be in memory sample by sample.
Result<std::string> content_of(const RecordRequest& request, const Output& output, const Journal& journal,
                               const profile::Profile& shown) {
  if (output.format != format::Format::html) return format::write(output.format, shown);
  const auto bytes = journal.bytes();
  if (!bytes) return bytes.error();
  return format::html_around(*bytes, shown, {.mode = request.mode, .by_thread = request.by_thread});
}

// Whether the result is made of single samples, and not of sums or of the journal's own bytes.
bool needs_time(const Output& output, const Journal& journal) {
  return format::keeps_time(output.format) && output.format != format::Format::html && !journal.is_result();
}

Result<std::string> write_content(const RecordRequest& request, const Output& output, const std::string& own_path,
                                  const Journal& journal, const profile::Profile& shown) {
  if (journal.is_result()) return journal.result_path();
  const auto content = content_of(request, output, journal, shown);
  return content ? write(output, own_path, *content) : Result<std::string>(content.error());
}

Result<void> write_stats(const RecordRequest& request, const profile::Profile& shown) {
  if (request.stats.empty()) return {};
  const auto stats = format::write_output(request.stats, format::write_stats(shown));
  return stats ? Result<void>{} : stats.error();
}

// The URL of its page; empty if it is not to be pushed. A signal from now on ends the wait for a server that is silent:
// one that came before has ended the recording.
Result<std::string> push_journal(const std::optional<PushTarget>& target, const Journal& journal,
                                 const Signals& signals) {
  if (!target) return std::string();
  const auto bytes = journal.bytes();
  if (!bytes) return bytes.error();
  const int before = signals.requests_to_end();
  return server::push(target->server, target->token, *bytes, [&] { return signals.requests_to_end() != before; });
}

// A signal from now on ends the wait for the page.
void show_the_rest(LivePage* page, const Signals& signals) {
  if (page == nullptr) return;
  const auto say_so = [] {
    std::fputs("flametap: waiting until the page has the rest (Ctrl-C: do not wait)\n", stderr);
  };
  page->finish(say_so, [&signals, before = signals.requests_to_end()] { return signals.requests_to_end() != before; });
}

Error with_journal_kept(Error error, const Journal& journal) {
  error.remedy = "all that was recorded is in " + journal.path() + ": flametap report " + journal.path() + " -o FILE" +
                 (error.remedy.empty() ? "" : "; " + error.remedy);
  return error;
}

// What is to become of a recording.
struct Ending {
  const RecordRequest& request;
  const Output& output;
  const std::string& own_path;
  const Signals& signals;
};

Result<void> finish(const Ending& ending, Journal& journal, const Result<void>& recorded) {
  const auto& [request, output, own_path, signals] = ending;
  if (!recorded) return with_journal_kept(recorded.error(), journal);
  const auto read = journal.read(needs_time(output, journal));
  if (!read) return with_journal_kept(read.error(), journal);
  const profile::Profile& all = read->profile;
  const auto shown = shown_part(request, output, all);
  if (!shown) return with_journal_kept(shown.error(), journal);
  const auto pushed = push_journal(request.push, journal, signals);
  const bool only_there = pushed && !pushed->empty() && request.output.empty();
  const auto written = only_there ? pushed : write_content(request, output, own_path, journal, *shown);
  const auto stats = write_stats(request, *shown);
  if (!written) return with_journal_kept(written.error(), journal);
  if (!stats) return with_journal_kept(stats.error(), journal);
  if (const auto closed = journal.close(); !closed) return with_journal_kept(closed.error(), journal);
  // The result may have all, but the summary is about the mode that was asked for.
  const auto of_mode = profile::filter(all, {.mode = request.mode});
  std::string text = summary_text(all, of_mode ? *of_mode : all, only_there ? "-" : *written);
  if (pushed && !pushed->empty()) text += "  pushed to " + *pushed + "\n";
  text = wrapped_lines(text, error_columns(), kSummaryIndent);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return pushed ? Result<void>{} : pushed.error();
}

// "8", "8 and 9", "8, 9 and 10".
std::string listed(const std::vector<pid_t>& pids) {
  std::string text;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    if (i > 0) text += i + 1 == pids.size() ? " and " : ", ";
    text += std::to_string(pids[i]);
  }
  return text;
}

// Of a process that is not a Python, such as a launcher, names its children that are.
Error with_python_children(Error error, pid_t pid) {
  const std::vector<pid_t> pythons = python_descendants(pid, kMostChildrenLookedAt);
  if (pythons.empty()) return error;
  error.message += pythons.size() == 1 ? fmt::format("; its child process {} is a Python", pythons.front())
                                       : fmt::format("; its child processes {} are Pythons", listed(pythons));
  error.remedy = fmt::format("flametap record --children -p {}", pid);
  return error;
}

// Those of them that have not ended.
std::vector<target::Process> open_all(const std::vector<pid_t>& pids) {
  std::vector<target::Process> processes;
  for (const pid_t pid : pids) {
    if (auto process = target::Process::open(pid)) processes.push_back(std::move(*process));
  }
  return processes;
}

// Waits for the first Python among the children of these processes, none of which is one itself.
Result<std::unique_ptr<ProcessSampler>> find_child(const RecordRequest& request, const ProcessSampler::Options& options,
                                                   const Signals& signals) {
  const std::vector<target::Process> parents = open_all(request.pids);
  const auto have_ended = [&] { return std::ranges::none_of(parents, &target::Process::alive); };
  PythonSearch search(request.pids, have_ended, signals.stop(), options);
  std::optional<Nanoseconds> deadline;
  if (request.duration) deadline = monotonic_now() + *request.duration;
  if (auto found = search.find(deadline)) return found;
  return search.denied().value_or(
      Error{Failure::not_python, "no Python was found among the children of process " + listed(request.pids), ""});
}

Result<Samplers> attach_all(const RecordRequest& request, const ProcessSampler::Options& options,
                            const Signals& signals) {
  Samplers processes;
  for (const pid_t pid : request.pids) {
    auto process = ProcessSampler::attach(pid, options);
    if (process) {
      processes.push_back(std::move(*process));
      continue;
    }
    if (process.error().kind != Failure::not_python) return cannot("record", pid, process.error());
    if (!request.children) return with_python_children(cannot("record", pid, process.error()), pid);
    fmt::print(stderr, "flametap: {}; only its children are recorded\n", process.error().message);
  }
  if (!processes.empty()) return processes;
  auto child = find_child(request, options, signals);
  if (!child) return child.error().within("cannot record");
  processes.push_back(std::move(*child));
  return processes;
}

// Nothing if nobody wants to watch.
Result<std::unique_ptr<LivePage>> open_page(const RecordRequest& request) {
  if (!request.serve_port) return std::unique_ptr<LivePage>();
  return LivePage::open(*request.serve_port);
}

// The page's recording goes on to be shown without us: a failure to show it is no failure to record it.
void show(LivePage* page, const RecordRequest& request, const Journal& journal, const ProcessSampler& process) {
  if (page == nullptr) return;
  const auto words = process.process().command_line();
  const auto url =
      page->show(journal.path(), {.name = format::program_name(words ? *words : std::vector<std::string>{}),
                                  .command = process.process().command(),
                                  .python = cpython::to_string(process.interpreter().version),
                                  .rate_hz = request.rate_hz,
                                  .mode = std::string(profile::name(request.mode))});
  if (!url) {
    (void)fail(url.error().within("the recording goes on, but cannot be watched"));
    return;
  }
  fmt::print(stderr, "flametap: watch it at {}\n", *url);
}

SourceFiles source_files(const Samplers& processes) {
  SourceFiles files;
  for (const auto& process : processes) files.add(process->process());
  return files;
}

// What is recorded besides the processes that are there already.
struct MoreToRecord {
  std::vector<pid_t> roots = {};  // processes whose children are followed, whether they are Pythons or not
  sampler::Recorder::Successor successor = {};
};

// All that was sampled is let go when it returns: threads that stopped too late, and files of /proc.
Result<void> sample_into(Journal& journal, const RecordRequest& request, const ProcessSampler::Options& options,
                         sampler::CpuSeat seat, Samplers processes, MoreToRecord more, const Signals& signals,
                         sampler::Progress& progress) {
  std::optional<sampler::Family> family;
  std::vector<target::Process> main;
  if (request.children) {
    main = open_all(more.roots);
    sampler::Family::Roots roots{.pids = std::move(more.roots)};
    for (const auto& process : processes) roots.sampled.push_back(process.get());
    family.emplace(roots, options);
  }
  std::optional<SourceSink> with_sources;
  if (request.sources) with_sources.emplace(journal.sink(), source_files(processes));
  sampler::Successors successors(options);
  sampler::Recorder recorder(recorder_options(request), std::move(seat));
  for (auto& process : processes) recorder.add(std::move(process));
  if (family) {
    recorder.follow(*family);
    recorder.set_main(std::move(main));
  } else if (more.successor) {
    recorder.set_successor(std::move(more.successor));
  } else {
    recorder.follow(successors);
  }
  return recorder.run(signals.stop(), progress, with_sources ? *with_sources : journal.sink());
}

int record_processes(const RecordRequest& request, const Output& output) {
  const auto page = open_page(request);
  if (!page) return fail(page.error());
  const Signals signals;
  auto seat = sampler::CpuSeat::take(request.cpu);
  if (!seat) return fail(seat.error());
  const ProcessSampler::Options options = sampler_options(request);
  auto processes = attach_all(request, options, signals);
  if (!processes) return fail(processes.error());
  const std::string own_path = default_path(*processes->front(), output.format);
  auto journal = Journal::open(output, own_path);
  if (!journal) return fail(journal.error());
  show(page->get(), request, *journal, *processes->front());
  for (const auto& process : *processes) process->rehearse(*seat);
  const Result<void> recorded = [&] {
    sampler::Progress progress;
    const ProgressLine line(progress);
    return sample_into(*journal, request, options, std::move(*seat), std::move(*processes), {.roots = request.pids},
                       signals, progress);
  }();
  const auto done = finish({request, output, own_path, signals}, *journal, recorded);
  show_the_rest(page->get(), signals);
  return done ? 0 : fail(done.error());
}

// The command ended, or was ended, before we met a Python in it.
int no_python_seen(const RecordRequest& request, const PythonSearch& search, int command_code) {
  const Error error = search.denied().value_or(
      Error{Failure::not_python, "no Python was found in it while it ran",
            "if it starts Python in the background, record that process: flametap record -p PID"});
  return own_code_unless(command_code, fail(error.within("cannot record " + request.command.front())));
}

int record_command(const RecordRequest& request, const Output& output) {
  // The seat is taken only after the command has started, which would inherit it.
  if (const auto seated = sampler::CpuSeat::check(request.cpu); !seated) return fail(seated.error());
  const auto page = open_page(request);
  if (!page) return fail(page.error());
  Signals signals;
  const ProcessSampler::Options options = sampler_options(request);  // takes a while: a short command would be over
  auto started = Launched::start(request.command, signals);
  if (const auto* const failed = std::get_if<Launched::Failed>(&started)) {
    fail(failed->error);
    return failed->exit_code;
  }
  Launched& command = std::get<Launched>(started);
  leave_session();  // in which the command stays
  auto seat = sampler::CpuSeat::take(request.cpu);
  if (!seat) {
    const int code = fail(seat.error());
    return own_code_unless(command.wait(), code);
  }
  PythonSearch search(command, signals.stop(), options);
  auto python = search.find(std::nullopt);
  if (!python) return no_python_seen(request, search, command.wait());

  const std::string own_path = default_path(*python, output.format);
  auto journal = Journal::open(output, own_path);
  if (!journal) {
    const int code = fail(journal.error());
    return own_code_unless(command.wait(), code);
  }
  show(page->get(), request, *journal, *python);
  std::optional<Nanoseconds> deadline;
  if (request.duration) deadline = monotonic_now() + *request.duration;
  Samplers processes;
  processes.push_back(std::move(python));
  sampler::Progress progress;  // nobody watches it: the terminal is the command's
  const Result<void> recorded =
      sample_into(*journal, request, options, std::move(*seat), std::move(processes),
                  {.roots = {command.pid()}, .successor = [&](pid_t, sampler::Fate) { return search.find(deadline); }},
                  signals, progress);
  // Written at once: the command may go on for long, or never end.
  const auto done = finish({request, output, own_path, signals}, *journal, recorded);
  if (!done) fail(done.error());
  show_the_rest(page->get(), signals);
  return own_code_unless(command.wait(), done ? 0 : static_cast<int>(done.error().kind));
}

}  // namespace

int record(const RecordRequest& request) {
  const auto output = plan(request);
  if (!output) return fail(output.error());
  const bool starts_command = !request.command.empty();
  return run_apart(starts_command, [&] {
    if (starts_command) return record_command(request, *output);
    leave_session();
    return record_processes(request, *output);
  });
}

}  // namespace flametap::cli

// The tables of a whole trace, when it is over.
#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <vector>

#include "events/summary.h"
#include "format/text.h"
#include "format/trace_makers.h"
#include "format/trace_text.h"

namespace flametap::format {
namespace {

std::string about(Nanoseconds duration, bool is_exact) { return (is_exact ? "" : "~") + duration_text(duration); }

void append_remark(std::uint64_t count, std::string_view what, std::string& out) {
  if (count > 0) fmt::format_to(std::back_inserter(out), "  ({} {})", with_commas(count), what);
}

void append_functions(const std::vector<events::FunctionSummary>& rows, std::string& out) {
  if (rows.empty()) return;
  fmt::format_to(std::back_inserter(out), "{:>12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "CALLS", "TOTAL", "SELF",
                 "AVERAGE", "P50", "P99", "MAX", "FUNCTION");
  for (const events::FunctionSummary& row : rows) {
    fmt::format_to(std::back_inserter(out), "{:>12} {:>9} {:>9} ", with_commas(row.calls), duration_text(row.total),
                   duration_text(row.self));
    if (row.calls > row.unfinished) {
      fmt::format_to(std::back_inserter(out), "{:>9} {:>9} {:>9} {:>9}  ", duration_text(row.average),
                     about(row.p50, row.is_exact), about(row.p99, row.is_exact), duration_text(row.max));
    } else {
      fmt::format_to(std::back_inserter(out), "{:>9} {:>9} {:>9} {:>9}  ", "-", "-", "-", "-");
    }
    append_name(row.function.function.empty() ? "(unknown)" : row.function.function, out);
    if (!row.function.file.empty()) {
      out.append("  ");
      append_name(row.function.file, out);
    }
    if (row.function.line > 0) fmt::format_to(std::back_inserter(out), ":{}", row.function.line);
    append_remark(row.unfinished, "not seen from beginning to end", out);
    out.append("\n");
  }
  out.append("\n");
}

void append_collections(const std::vector<events::GcSummary>& rows, std::string& out) {
  if (rows.empty()) return;
  fmt::format_to(std::back_inserter(out), "{:>12} {:>9} {:>9} {:>12}  {}\n", "COLLECTIONS", "TOTAL", "MAX", "COLLECTED",
                 "GENERATION");
  for (const events::GcSummary& row : rows) {
    fmt::format_to(std::back_inserter(out), "{:>12} {:>9} {:>9} {:>12}  {}\n", with_commas(row.count),
                   duration_text(row.total), duration_text(row.max),
                   with_commas(static_cast<std::uint64_t>(row.collected)), row.generation);
  }
  out.append("\n");
}

void append_imports(const std::vector<events::ImportSummary>& rows, std::string& out) {
  if (rows.empty()) return;
  constexpr std::size_t kMaxIndent = 40;
  fmt::format_to(std::back_inserter(out), "{:>12} {:>9} {:>9}  {}\n", "IMPORTS", "TOTAL", "SELF", "MODULE");
  for (const events::ImportSummary& row : rows) {
    fmt::format_to(std::back_inserter(out), "{:>12} {:>9} {:>9}  {:{}}", with_commas(row.count),
                   duration_text(row.total), duration_text(row.self), "", 2 * std::min(row.depth, kMaxIndent));
    append_name(row.module, out);
    append_remark(row.not_found, "not found", out);
    append_remark(row.unfinished, "not finished", out);
    out.append("\n");
  }
  out.append("\n");
}

void append_audits(const std::vector<events::AuditSummary>& rows, std::string& out) {
  if (rows.empty()) return;
  fmt::format_to(std::back_inserter(out), "{:>12}  {}\n", "COUNT", "AUDIT EVENT");
  for (const events::AuditSummary& row : rows) {
    fmt::format_to(std::back_inserter(out), "{:>12}  ", with_commas(row.count));
    append_name(row.name, out);
    out.append("\n");
  }
  out.append("\n");
}

class TraceSummary final : public TraceView {
 public:
  void add(const events::Event& event, std::string&) override { summary_.add(event); }

  void finish(const events::Ending& ending, std::string& out) override {
    summary_.finish(ending.ended);
    append_functions(summary_.functions(), out);
    append_collections(summary_.collections(), out);
    append_imports(summary_.imports(), out);
    append_audits(summary_.audits(), out);
    const Nanoseconds time = ending.ended > ending.began ? ending.ended - ending.began : 0;
    fmt::format_to(std::back_inserter(out), "{} events in {}, {} lost", with_commas(ending.events), duration_text(time),
                   with_commas(ending.lost));
    if (ending.unnamed > 0) out.append(", ").append(with_commas(ending.unnamed)).append(" without a name");
    if (summary_.unseen_beginnings() > 0) {
      out.append(", ").append(with_commas(summary_.unseen_beginnings())).append(" calls that began unseen");
    }
    out.append("\n");
  }

 private:
  events::Summary summary_;
};

}  // namespace

std::unique_ptr<TraceView> make_trace_summary() { return std::make_unique<TraceSummary>(); }

}  // namespace flametap::format

#include "events/summary.h"

#include <algorithm>
#include <tuple>

namespace flametap::events {
namespace {

constexpr std::int64_t kMaxGeneration = 9;  // there are three; whatever else comes is one more

}  // namespace

void Summary::add(const Event& event) {
  if (event.kind == Kind::audit) {
    const bool has_room = audits_.size() < kMaxAudits || audits_.contains(event.name);
    ++audits_[has_room ? event.name : "(others)"];
    return;
  }
  const CallStacks::Step step = stacks_.add(event);
  for (const ClosedSpan& closed : step.closed) end(event, closed, step.matched && &closed == &step.closed.back());
  if (step.opened != nullptr) begin(event, *step.opened);
  if (event.kind == Kind::call_end && !step.matched) ++unseen_beginnings_;
  if (event.kind == Kind::thread_end) running_.erase(event.thread);
}

void Summary::finish(Nanoseconds ended) {
  for (const Thread* thread : stacks_.threads()) {
    const Event event{.kind = Kind::thread_end, .time = ended, .thread = thread};
    for (const ClosedSpan& closed : stacks_.close(*thread, ended).closed) end(event, closed, false);
  }
}

void Summary::begin(const Event& event, Span& span) {
  if (span.kind == SpanKind::import) {
    span.number = import_number(event);
    ++imports_[span.number].summary.count;
  }
  if (!span.is_call()) return;
  // Of a call whose beginning was not told, the line is not that of a beginning.
  span.number = table_.called(span.file, span.function, span.unmarked ? 0 : span.line);
  if (functions_.size() < table_.size()) functions_.resize(table_.size());
  ++functions_[span.number].calls;
  ++running_[event.thread][span.number];
}

void Summary::end(const Event& event, const ClosedSpan& closed, bool is_this) {
  switch (closed.span.kind) {
    case SpanKind::call:
      return end_call(event.thread, closed, is_this ? event.line : 0);
    case SpanKind::import:
      return end_import(closed, !is_this || event.value != 0);
    case SpanKind::gc:
      break;
  }
  if (closed.how != SpanEnd::returned) return;
  const std::int64_t generation = std::clamp<std::int64_t>(closed.span.generation, 0, kMaxGeneration);
  GcSummary& gc = collections_[generation];
  gc.generation = generation;
  ++gc.count;
  gc.total += closed.duration();
  gc.max = std::max(gc.max, closed.duration());
  gc.collected += std::max<std::int64_t>(event.value, 0);
}

void Summary::end_call(const Thread* thread, const ClosedSpan& closed, std::int32_t line) {
  FunctionEntry& entry = functions_[closed.span.number];
  Running& running = running_[thread];
  const auto open = running.find(closed.span.number);
  const bool is_outermost = open != running.end() && --open->second == 0;
  if (is_outermost) running.erase(open);
  table_.left(closed.span.number, line);
  const bool is_finished = closed.how == SpanEnd::returned && !closed.span.unmarked;
  if (is_finished) {
    entry.durations.add(closed.duration());
  } else {
    ++entry.unfinished;
  }
  if (closed.how == SpanEnd::lost) return;
  entry.self += closed.self();
  if (is_outermost) entry.total += closed.duration();
}

void Summary::end_import(const ClosedSpan& closed, bool found) {
  ImportSummary& import = imports_[closed.span.number].summary;
  if (!found) ++import.not_found;
  if (closed.how != SpanEnd::returned) {
    ++import.unfinished;
    return;
  }
  const Nanoseconds inside = std::min(closed.span.in_imports, closed.duration());
  import.total += closed.duration();
  import.self += closed.duration() - inside;
}

// Under the import that is open around it, which is the last but one.
std::uint32_t Summary::import_number(const Event& event) {
  std::uint32_t parent = 0;
  const std::span<const Span> open = stacks_.open(event.thread);
  for (std::size_t i = open.size() - 1; i-- > 0 && parent == 0;) {
    if (open[i].kind == SpanKind::import) parent = open[i].number;
  }
  const auto known = imports_[parent].children.find(event.name);
  if (known != imports_[parent].children.end()) return known->second;
  const bool has_room = imports_.size() < kMaxImports;
  const std::string_view module = has_room ? event.name : "(others)";
  const auto next = static_cast<std::uint32_t>(imports_.size());
  const auto [child, is_new] = imports_[has_room ? parent : 0].children.emplace(module, next);
  const std::uint32_t number = child->second;
  if (is_new) imports_.push_back({.summary = {.module = module}});
  return number;
}

std::vector<FunctionSummary> Summary::functions() const {
  std::vector<FunctionSummary> rows;
  for (std::uint32_t number = 0; number < functions_.size(); ++number) {
    const FunctionEntry& entry = functions_[number];
    if (entry.calls == 0) continue;
    rows.push_back({.function = table_[number],
                    .calls = entry.calls,
                    .unfinished = entry.unfinished,
                    .total = entry.total,
                    .self = entry.self,
                    .average = entry.durations.average(),
                    .p50 = entry.durations.percentile(50),
                    .p99 = entry.durations.percentile(99),
                    .max = entry.durations.max(),
                    .is_exact = entry.durations.is_exact()});
  }
  std::ranges::stable_sort(rows, std::greater{},
                           [](const FunctionSummary& row) { return std::tuple(row.total, row.self, row.calls); });
  return rows;
}

std::vector<GcSummary> Summary::collections() const {
  std::vector<GcSummary> rows;
  for (const auto& [generation, row] : collections_) rows.push_back(row);
  return rows;
}

// Not by recursion: modules may import each other to any depth.
std::vector<ImportSummary> Summary::imports() const {
  struct Next {
    std::uint32_t number;
    std::size_t depth;
  };
  const auto total = [&](const Next& next) { return imports_[next.number].summary.total; };
  std::vector<ImportSummary> rows;
  std::vector<Next> to_do;  // the next one last
  const auto push_children = [&](std::uint32_t number, std::size_t depth) {
    const auto first = static_cast<std::ptrdiff_t>(to_do.size());
    for (const auto& [module, child] : imports_[number].children) to_do.push_back({child, depth});
    std::stable_sort(to_do.begin() + first, to_do.end(),
                     [&](const Next& a, const Next& b) { return total(a) < total(b); });
  };
  push_children(0, 0);
  while (!to_do.empty()) {
    const Next next = to_do.back();
    to_do.pop_back();
    rows.push_back(imports_[next.number].summary);
    rows.back().depth = next.depth;
    push_children(next.number, next.depth + 1);
  }
  return rows;
}

std::vector<AuditSummary> Summary::audits() const {
  std::vector<AuditSummary> rows;
  for (const auto& [name, count] : audits_) rows.push_back({name, count});
  std::ranges::sort(rows, [](const AuditSummary& a, const AuditSummary& b) {
    return std::tuple(b.count, a.name) < std::tuple(a.count, b.name);
  });
  return rows;
}

}  // namespace flametap::events

// What an event of a trace costs on its way from the buffer to the text.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "events/summary.h"
#include "events/time_order.h"
#include "format/trace_view.h"

namespace {

using namespace flametap;

std::vector<events::Event> calls(std::vector<events::Thread>& threads, std::size_t count) {
  std::vector<events::Event> result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t turn = i / threads.size();
    result.push_back({.kind = turn % 2 == 0 ? events::Kind::call : events::Kind::call_end,
                      .time = 1'000'000'000'000 + (i ^ 3) * 500,  // nearly in order
                      .thread = &threads[i % threads.size()],
                      .depth = 3,
                      .line = 120,
                      .file = "/usr/lib/python3.11/site-packages/shop/handlers.py",
                      .function = "handle_request"});
  }
  return result;
}

void BM_TimeOrder(benchmark::State& state) {
  std::vector<events::Thread> threads(4);
  const std::vector<events::Event> trace = calls(threads, 10'000);
  for (auto _ : state) {
    events::TimeOrder order;
    for (const events::Event& event : trace) order.push(event);
    order.take_all([](events::Event&& event) { benchmark::DoNotOptimize(event.time); });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace.size()));
}
BENCHMARK(BM_TimeOrder);

void BM_View(benchmark::State& state) {
  std::vector<events::Thread> threads(1, {.pid = 8274, .tid = 8274, .program = "python3", .name = "MainThread"});
  const std::vector<events::Event> trace = calls(threads, 10'000);
  std::string out;
  for (auto _ : state) {
    const auto view = format::make_trace_view(static_cast<format::TraceFormat>(state.range(0)), {});
    out.clear();
    for (const events::Event& event : trace) view->add(event, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(trace.size()));
}
BENCHMARK(BM_View)->ArgName("format")->DenseRange(0, 5);

}  // namespace

BENCHMARK_MAIN();

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "events/test_events.h"
#include "format/trace_view.h"

namespace flametap::format {
namespace {

using events::call;
using events::call_end;
using events::happened;
using events::Kind;

TEST(TraceSummary, IsTables) {
  const events::Thread thread{.pid = 7, .tid = 7, .program = "python3"};
  const std::vector<events::Event> trace = {
      call(thread, 1'000, 0, "main", 3),
      happened(Kind::import_start, thread, 2'000, "json"),
      happened(Kind::import_start, thread, 3'000, "nope"),
      happened(Kind::import_done, thread, 4'000, "nope", 0),
      happened(Kind::import_done, thread, 9'000, "json", 1),
      call(thread, 10'000, 1, "parse", 12),
      happened(Kind::gc_start, thread, 11'000, "", 2),
      happened(Kind::gc_done, thread, 13'000, "", 1'234),
      call_end(thread, 20'000, 1, "parse", 14),
      happened(Kind::audit, thread, 21'000, "open"),
  };
  const auto view = make_trace_view(TraceFormat::summary, {});
  std::string out;
  for (const events::Event& event : trace) view->add(event, out);
  EXPECT_EQ(out, "");
  view->finish({.began = 1'000, .ended = 101'000, .events = 10}, out);
  EXPECT_EQ(out,
            "       CALLS     TOTAL      SELF   AVERAGE       P50       P99       MAX  FUNCTION\n"
            "           1    100 µs   90.0 µs         -         -         -         -  main  app/shop.py:3"
            "  (1 not seen from beginning to end)\n"
            "           1   10.0 µs   8.00 µs   10.0 µs   10.0 µs   10.0 µs   10.0 µs  parse  app/shop.py:12\n"
            "\n"
            " COLLECTIONS     TOTAL       MAX    COLLECTED  GENERATION\n"
            "           1   2.00 µs   2.00 µs        1,234  2\n"
            "\n"
            "     IMPORTS     TOTAL      SELF  MODULE\n"
            "           1   7.00 µs   6.00 µs  json\n"
            "           1   1.00 µs   1.00 µs    nope  (1 not found)\n"
            "\n"
            "       COUNT  AUDIT EVENT\n"
            "           1  open\n"
            "\n"
            "10 events in 100 µs, 0 lost\n");
}

TEST(TraceSummary, OfNothingIsOneLine) {
  std::string out;
  make_trace_view(TraceFormat::summary, {})->finish({}, out);
  EXPECT_EQ(out, "0 events in 0 ns, 0 lost\n");
}

}  // namespace
}  // namespace flametap::format

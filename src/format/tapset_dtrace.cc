#include "format/tapset_script.h"

namespace flametap::format {
namespace {

// Shows what runs inside one function only: else the imports at the start would drown the rest.
constexpr std::string_view kCallStackD = R"(#pragma D option quiet

self int depth;
self int inside;

@ARM@python$target:::function-entry
/copyinstr(arg1) == $$1/
{
  self->inside++;
}

python$target:::function-entry
/self->inside/
{
  printf("%d\t%*s:", timestamp, 15, probename);
  printf("%*s%s:%s:%d\n", self->depth, "", basename(copyinstr(arg0)), copyinstr(arg1), arg2);
  self->depth++;
}

python$target:::function-return
/self->inside/
{
  self->depth--;
  printf("%d\t%*s:", timestamp, 15, probename);
  printf("%*s%s:%s:%d\n", self->depth, "", basename(copyinstr(arg0)), copyinstr(arg1), arg2);
}

python$target:::function-return
/self->inside && copyinstr(arg1) == $$1/
{
  self->inside--;
}
)";

constexpr std::string_view kGcPausesD = R"(#pragma D option quiet

self int generation;
self uint64_t began;

python$target:::gc-start
{
  self->began = timestamp;
  self->generation = arg0;
}

python$target:::gc-done
/self->began/
{
  printf("%d\tgeneration %d: %d us, %d objects collected\n", timestamp, self->generation,
         (timestamp - self->began) / 1000, arg0);
  @pauses_us[self->generation] = quantize((timestamp - self->began) / 1000);
  self->began = 0;
}
)";

}  // namespace

std::vector<TapsetScript> dtrace_scripts(const TapsetTarget& target) {
  return {
      {"call_stack.d", "Every call and return inside the function that is given last, here `start`.",
       target.pid ? "dtrace -s call_stack.d -p @PID@ start" : "dtrace -s call_stack.d -c '@PROGRAM@ SCRIPT' start",
       hierarchy_markers(target), kCallStackD},
      {"gc_pauses.d",
       "Every garbage collection, and at the end how long they took, by generation.",
       target.pid ? "dtrace -s gc_pauses.d -p @PID@" : "dtrace -s gc_pauses.d -c '@PROGRAM@ SCRIPT'",
       {"gc__start", "gc__done"},
       kGcPausesD},
  };
}

TapsetWords dtrace_words(const TapsetTarget& target) {
  // DTrace finds the markers by the process alone.
  TapsetWords words;
  if (target.needs_arming) {
    words.arm =
        "/* Python 3.11 tells calls only while its line marker is used, too. That makes the program slower. */\n"
        "python$target:::line\n{\n  this->line = arg2;\n}\n\n";
  }
  return words;
}

}  // namespace flametap::format

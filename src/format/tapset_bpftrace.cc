#include "format/tapset_script.h"

namespace flametap::format {
namespace {

// bpftrace cannot repeat a blank n times, so the indentation is printed piece by piece.
constexpr std::string_view kCallHierarchyBt = R"(@ARM@@PLACE@:function__entry
{
  printf("%10llu %-15s %7d ", elapsed / 1000, comm, tid);
  $i = (uint64)0;
  while ($i < @depth[tid] && $i < 50) { printf("  "); $i++; }
  printf("=> %s in %s:%d\n", str(arg1), str(arg0), (int32)arg2);
  @depth[tid]++;
}

@PLACE@:function__return
{
  // Calls that were running before have no depth here.
  if (@depth[tid] > 0) { @depth[tid]--; }
  printf("%10llu %-15s %7d ", elapsed / 1000, comm, tid);
  $i = (uint64)0;
  while ($i < @depth[tid] && $i < 50) { printf("  "); $i++; }
  printf("<= %s in %s:%d\n", str(arg1), str(arg0), (int32)arg2);
}

END
{
  clear(@depth);
}
)";

constexpr std::string_view kTopBt = R"(@ARM@@PLACE@:function__entry
{
  @calls[pid, str(arg0), (int32)arg2, str(arg1)] = count();
}

interval:s:1
{
  printf("\033[2J\033[1;1H");
  time("%H:%M:%S, calls by pid, file, line, function:\n");
  print(@calls, 20);
  clear(@calls);
}

END
{
  clear(@calls);
}
)";

constexpr std::string_view kGcPausesBt = R"(@PLACE@:gc__start
{
  @began[tid] = nsecs;
  @generation[tid] = (int32)arg0;
}

@PLACE@:gc__done
/@began[tid]/
{
  $us = (nsecs - @began[tid]) / 1000;
  printf("%10llu %-15s %7d generation %d: %d us, %d objects collected\n", elapsed / 1000, comm, tid,
         @generation[tid], $us, (int64)arg0);
  @pauses_us[@generation[tid]] = hist($us);
  delete(@began[tid]);
  delete(@generation[tid]);
}

END
{
  clear(@began);
  clear(@generation);
}
)";

// Imports are nested: one module imports others before it is done.
constexpr std::string_view kImportTimesBt = R"(@PLACE@:import__find__load__start
{
  @began[tid, @depth[tid]] = nsecs;
  @depth[tid]++;
}

@PLACE@:import__find__load__done
/@depth[tid] > 0/
{
  @depth[tid]--;
  $us = (nsecs - @began[tid, @depth[tid]]) / 1000;
  printf("%10llu %-15s %7d %8d us%s with all that it imports: %s\n", elapsed / 1000, comm, tid, $us,
         (int32)arg1 != 0 ? "," : ", failed,", str(arg0));
  delete(@began[tid, @depth[tid]]);
}

END
{
  clear(@began);
  clear(@depth);
}
)";

}  // namespace

// A text has 64 bytes unless bpftrace is told otherwise, and with 200, the most that it allows, two of them do not fit
// onto the stack of a program in the kernel.
std::vector<TapsetScript> bpftrace_scripts(const TapsetTarget& target) {
  const auto run = [&](std::string_view of_process, std::string_view of_file) {
    return target.pid ? of_process : of_file;
  };
  const std::vector<std::string_view> calls = call_markers(target);
  return {
      {"call-hierarchy.bt",
       "Every call and return of Python functions: microseconds, program, thread, and what. Longer names are cut.",
       run("BPFTRACE_STRLEN=150 bpftrace -p @PID@ call-hierarchy.bt",
           "BPFTRACE_STRLEN=150 bpftrace -c '@PROGRAM@ SCRIPT' call-hierarchy.bt"),
       hierarchy_markers(target), kCallHierarchyBt},
      {"top.bt", "The 20 functions that were called most, every second.",
       run("BPFTRACE_STRLEN=150 bpftrace -p @PID@ top.bt", "BPFTRACE_STRLEN=150 bpftrace top.bt"), calls, kTopBt},
      {"gc-pauses.bt",
       "Every garbage collection, and at the end how long they took, by generation.",
       run("bpftrace -p @PID@ gc-pauses.bt", "bpftrace gc-pauses.bt"),
       {"gc__start", "gc__done"},
       kGcPausesBt},
      {"import-times.bt",
       "How long each import took.",
       run("BPFTRACE_STRLEN=150 bpftrace -p @PID@ import-times.bt",
           "BPFTRACE_STRLEN=150 bpftrace -c '@PROGRAM@ SCRIPT' import-times.bt"),
       {"import__find__load__start", "import__find__load__done"},
       kImportTimesBt},
  };
}

TapsetWords bpftrace_words(const TapsetTarget& target) {
  TapsetWords words{.place = "usdt:" + target.path + ":python", .arm = ""};
  if (target.needs_arming) {
    words.arm =
        "// Python 3.11 tells calls only while its line marker is used, too. That makes the program slower.\n"
        "@PLACE@:line\n{\n}\n\n";
  }
  return words;
}

}  // namespace flametap::format

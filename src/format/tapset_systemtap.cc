#include <array>

#include "format/tapset_script.h"

namespace flametap::format {
namespace {

// One probe point of the tapset, over one marker.
struct Alias {
  std::string_view marker;
  std::string_view name;
  std::string_view variables;
};

// A text that cannot be read (its page may be swapped out) must not end the script: user_string2.
constexpr std::string_view kFunction =
    "  filename = user_string2($arg1, \"?\")\n"
    "  funcname = user_string2($arg2, \"?\")\n"
    "  lineno = $arg3\n";

constexpr std::array<Alias, 8> kAliases{{
    {"function__entry", "python.function.entry", kFunction},
    {"function__return", "python.function.return", kFunction},
    {"line", "python.line", kFunction},
    {"gc__start", "python.gc.start", "  generation = $arg1\n"},
    {"gc__done", "python.gc.done", "  collected = $arg1\n"},
    {"import__find__load__start", "python.import.start", "  modulename = user_string2($arg1, \"?\")\n"},
    {"import__find__load__done", "python.import.done", "  modulename = user_string2($arg1, \"?\")\n  found = $arg2\n"},
    {"audit", "python.audit", "  event = user_string2($arg1, \"?\")\n"},
}};

constexpr std::string_view kCallHierarchyStp = R"(@ARM@probe @PLACE@.mark("function__entry")
{
  if (target() != 0 && pid() != target()) next
  printf("%s => %s in %s:%d\n", thread_indent(1), user_string2($arg2, "?"), user_string2($arg1, "?"), $arg3)
}

probe @PLACE@.mark("function__return")
{
  if (target() != 0 && pid() != target()) next
  printf("%s <= %s in %s:%d\n", thread_indent(-1), user_string2($arg2, "?"), user_string2($arg1, "?"), $arg3)
}
)";

constexpr std::string_view kCallHierarchyByTapsetStp = R"(@ARM@probe python.function.entry
{
  if (target() != 0 && pid() != target()) next
  printf("%s => %s in %s:%d\n", thread_indent(1), funcname, filename, lineno)
}

probe python.function.return
{
  if (target() != 0 && pid() != target()) next
  printf("%s <= %s in %s:%d\n", thread_indent(-1), funcname, filename, lineno)
}
)";

constexpr std::string_view kTopStp = R"(global calls

@ARM@probe python.function.entry
{
  calls[pid(), filename, funcname, lineno]++
}

probe timer.ms(1000)
{
  printf("\033[2J\033[1;1H")
  printf("%6s %80s %6s %30s %6s\n", "PID", "FILENAME", "LINE", "FUNCTION", "CALLS")
  foreach ([process, file, function_name, line] in calls- limit 20)
    printf("%6d %80s %6d %30s %6d\n", process, file, line, function_name, calls[process, file, function_name, line])
  delete calls
}
)";

}  // namespace

std::string systemtap_tapset(const TapsetTarget& target) {
  std::string text;
  for (const Alias& alias : kAliases) {
    if (!target.has(alias.marker)) continue;
    text += (text.empty() ? "probe " : "\nprobe ") + std::string(alias.name) + " = @PLACE@.mark(\"" +
            std::string(alias.marker) + "\")\n{\n" + std::string(alias.variables) + "}\n";
  }
  return text;
}

std::vector<TapsetScript> systemtap_scripts(const TapsetTarget& target, const std::string& tapset) {
  const auto run = [&](std::string_view of_process, std::string_view of_file) {
    return target.pid ? of_process : of_file;
  };
  const std::vector<std::string_view> calls = call_markers(target);
  return {
      {"python.stp",
       "A tapset: probe points such as python.gc.start, for other scripts. It takes the place of SystemTap's own,\n"
       "   which looks for a libpython in /usr/lib only: with both, events would come twice or not at all.",
       "install -m 644 python.stp /usr/share/systemtap/tapset/python.stp",
       {},
       tapset},
      {"call-hierarchy.stp", "Every call and return of Python functions, by the markers themselves.",
       run("stap -x @PID@ call-hierarchy.stp", "stap -c '@PROGRAM@ SCRIPT' call-hierarchy.stp"),
       hierarchy_markers(target), kCallHierarchyStp},
      {"call-hierarchy-by-tapset.stp", "The same by the tapset, which must be installed: see python.stp.",
       run("stap -x @PID@ call-hierarchy-by-tapset.stp", "stap -c '@PROGRAM@ SCRIPT' call-hierarchy-by-tapset.stp"),
       hierarchy_markers(target), kCallHierarchyByTapsetStp},
      {"top.stp", "The 20 functions that were called most, every second, in all processes. Needs the tapset, too.",
       "stap top.stp", calls, kTopStp},
  };
}

TapsetWords systemtap_words(const TapsetTarget& target) {
  TapsetWords words;
  words.place = target.program.empty() ? "process(\"" + target.path + "\")"
                                       : "process(\"" + target.program + "\").library(\"" + target.path + "\")";
  if (target.needs_arming) {
    // A probe whose work nobody sees is optimized away, and the marker with it.
    words.arm =
        "# Python 3.11 tells calls only while its line marker is used, too. That makes the program slower.\n"
        "global lines\n\nprobe @PLACE@.mark(\"line\")\n{\n  lines++\n}\n\n"
        "probe end\n{\n  printf(\"%d lines were run\\n\", lines)\n}\n\n";
  }
  return words;
}

}  // namespace flametap::format

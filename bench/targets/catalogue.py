"""All variants of targets that the benchmark runs. What a target is and says: README.md."""
import collections

# name     of the variant
# file     in this folder
# options  behind TRUTH_FILE
# pythons  "3.7+": the versions that it runs on
# kind     "attach": works until it is killed; "launch": is started by the profiler and ends by itself
# needs    "numpy", or nothing: a package that the interpreter must have
# note     what is special about it
Variant = collections.namedtuple("Variant", "name file options pythons kind needs note")


def variant(name, file, options="", pythons="2.7+", kind="attach", needs="", note=""):
    return Variant(name, file, options.split(), pythons, kind, needs, note)


def calls():
    for name, length_ns in (("100ns", 100), ("300ns", 300), ("1us", 1000), ("3us", 3000), ("10us", 10000),
                            ("100us", 100000), ("1ms", 1000000)):
        yield variant("calls-" + name, "calls.py", "--ns %d" % length_ns, note="calls of %s and of half of it" % name)
    yield variant("mixed", "mixed.py", note="calls of all lengths between 100 ns and 1 ms")


def deep():
    notes = {"c": "long calls of C", "us": "calls of some us", "tiny": "several calls per us"}
    for depth in (20, 200, 2000):
        for work in ("c", "us", "tiny"):
            options = "--depth %d --work %s" % (depth, work)
            yield variant("deep-%d-%s" % (depth, work), "deep.py", options, note=notes[work])


OTHERS = [
    variant("alternating-3ms", "alternating.py", "--us 3000", note="3 and 150 frames deep in turn, for some ms each"),
    variant("alternating-50us", "alternating.py", "--us 50", note="3 and 150 frames deep in turn, for 50 us each"),
    variant("flat", "flat.py", note="2,000 functions"),
    variant("threads-8", "threads.py", "--threads 8 --busy 2", note="8 threads, of which 2 compute"),
    variant("threads-200", "threads.py", "--threads 200 --busy 3", note="200 threads, of which 3 compute"),
    variant("gil", "threads.py", "--threads 5 --busy 4", note="4 threads contend for the GIL"),
    variant("asyncio", "asyncio_server.py", pythons="3.7+", note="50 tasks on an event loop"),
    variant("numpy", "numpy_calls.py", needs="numpy", note="calls of numpy's C code"),
    variant("periodic-1ms", "periodic.py", "--us 1000", note="a rhythm of exactly 1 ms"),
    variant("periodic-10ms", "periodic.py", "--us 10000", note="a rhythm of exactly 10 ms"),
    variant("periodic-10ms-sleep", "periodic.py", "--us 10000 --busy 60", note="the same, asleep for 4 ms"),
    variant("system-calls", "system_calls.py", note="60 % of the time in the kernel"),
    variant("lines", "lines.py", note="several hot lines in a function"),
    variant("realistic", "realistic.py", note="generators, exceptions, with, methods, functions called by C code"),
    variant("generators", "generators.py", pythons="3.6+", note="generators, coroutines, exceptions thrown, calls by C"),
    variant("processes", "processes.py", "--children 30", kind="launch", note="30 short processes in turn"),
    variant("imports", "imports.py", "--modules 300", kind="launch", note="300 modules are imported at the start"),
]
CATALOGUE = list(calls()) + list(deep()) + OTHERS


def runs_on(chosen, version):
    """Whether a variant runs on a version such as (3, 11)."""
    least = tuple(int(part) for part in chosen.pythons.rstrip("+").split("."))
    return tuple(version[:2]) >= least

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
            yield variant("deep-%d-%s" % (depth, work), "deep.py", "--depth %d --work %s" % (depth, work), note=notes[work])


CATALOGUE = list(calls()) + list(deep())


def runs_on(chosen, version):
    """Whether a variant runs on a version such as (3, 11)."""
    least = tuple(int(part) for part in chosen.pythons.rstrip("+").split("."))
    return tuple(version[:2]) >= least

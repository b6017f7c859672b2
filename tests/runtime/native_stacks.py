"""Stacks of Python and native frames as flametap prints them, in a form that tests compare."""

import collections
import functools
import json
import re
import subprocess
from pathlib import Path

import flametap
from chance import most_by_chance

# The chance of a sample to stay unmerged is at most this. In November 2026 none of 51,000 did, some of them beside four
# busy loops.
MAX_UNMERGED = 0.0001

# Of threads that waited for a CPU there is only Python's stack; so many samples are said to be of such.
READY_COUNT = "without C stacks while they waited for a CPU"


def without_c_stack(quality):
    """How many samples may have none."""
    return quality["unmerged"] + quality["more"].get(READY_COUNT, 0)


KINDS = ("python", "marker", "native", "inlined", "kernel")  # the numbers of functions.kind in json

Frame = collections.namedtuple("Frame", "kind name file line module")

# What brings a call from Python to C, or the other way, or begins a thread: folded away unless asked for.
INTERNAL = re.compile(
    r"_?PyEval_|_?PyObject_(Call|Vectorcall|MakeTpCall|FastCall)|object_vacall|_?PyCFunction_|cfunction_|_?PyFunction_|"
    r"function_(code_fastcall|call)|method_vectorcall|call_function|fast_function|do_call|run_(mod|eval)|_?PyRun_|pymain|"
    r"Py_(RunMain|BytesMain|Main)|(main|_start)$|__libc_start|start_thread|_*clone|thread_run|t_bootstrap|pythread_wrapper"
)


def plain(name):
    """The name of a C++ function without result, parameters and remarks: `truth::outer<double>`. C's stay as they are."""
    name = re.sub(r" \[clone .*\]|@.*$|\.(constprop|isra|part|cold|llvm|lto_priv)\b.*$", "", name)
    name = name.replace("(anonymous namespace)", "<anonymous>")
    depth, begin, end = 0, 0, len(name)
    for place, letter in enumerate(name):
        if letter == "<":
            depth += 1
        elif letter == ">":
            depth -= 1
        elif depth == 0 and letter == " ":
            begin = place + 1
        elif depth == 0 and letter == "(":
            end = place
            break
    return name[begin:end] or name


@functools.lru_cache(maxsize=None)
def demangled(names):
    """The plain names of a tuple of raw symbols."""
    if not names:
        return ()
    text = "\n".join(name.partition("@")[0] for name in names)
    shown = subprocess.run(["c++filt"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    return tuple(plain(name) for name in shown.splitlines())


def frame_of(shown):
    """A frame of dump's JSON; without native frames there is only one kind."""
    kind = shown.get("kind", "python")
    name = shown["name"] if kind == "python" else plain(shown["name"])
    return Frame(kind, name, shown["file"], shown["line"], shown.get("module") or "")


class Dumped:
    """`dump --json` of a process with native frames: threads by their id, frames innermost first."""

    def __init__(self, pid, *options):
        done = flametap.run("dump", "-p", pid, "--json", *options)
        assert done.code == flametap.DONE, done
        self.threads = {thread["id"]: thread for thread in json.loads(done.out)["threads"]}
        self.stacks = {number: [frame_of(shown) for shown in thread["frames"]] for number, thread in self.threads.items()}


def without_class(name):
    """Interpreters before 3.11 know no qualified names."""
    return name if name.startswith("<") else name.rpartition(".")[2]


def is_of(frame, interpreter):
    """Whether a native frame is of the interpreter itself: of its program or of its libpython."""
    own = {Path(interpreter.command[-1]).resolve().name, Path(interpreter.command[-1]).name}
    if interpreter.libpython:
        own.add(Path(interpreter.libpython).resolve().name)
    return frame.kind in ("native", "inlined") and Path(frame.module).name in own


def shown(frames):
    """Frames for people to read in a failure."""
    return "\n".join("%-8s %s (%s:%d) %s" % (f.kind, f.name, Path(f.file).name, f.line, Path(f.module).name) for f in frames)


JsonSample = collections.namedtuple("JsonSample", "thread stack ticks weight_ns state")  # the stack's outermost frame first


class JsonRecording:
    """A recording in the json format, with native frames."""

    def __init__(self, recording):
        self.json = recording
        self.quality = recording["recording"]["quality"]
        self.threads = recording["threads"]
        self.ticks = sum(recording["samples"]["ticks"])
        self.stacks = self._stacks()

    def _stacks(self):
        strings, functions, frames = (self.json[table] for table in ("strings", "functions", "frames"))
        modules = functions.get("module") or [0] * len(functions["name"])

        def frame(number):
            function = frames["function"][number]
            kind, name = KINDS[functions["kind"][function]], strings[functions["name"][function]]
            return Frame(kind, name if kind in ("python", "marker") else plain(name), strings[functions["file"][function]],
                         frames["line"][number], strings[modules[function]])

        return flametap.stacks_of(self.json, frame)

    def samples(self):
        columns = (self.json["samples"][name] for name in ("thread", "stack", "ticks", "weight_ns", "state"))
        for thread, stack, *numbers in zip(*columns):
            yield JsonSample(self.threads[thread], self.stacks[stack], *numbers)

    def assert_merged(self):
        """Hardly any sample has native and Python frames that could not be brought together."""
        assert self.quality["unmerged"] <= most_by_chance(self.ticks, MAX_UNMERGED), self.quality


class Recording(JsonRecording):
    """What `record` with native frames made; it must succeed."""

    def __init__(self, folder, *options, **how):
        path = Path(folder) / "native.json"
        path.unlink(missing_ok=True)
        done = flametap.run("record", "-f", "json", "-o", path, *options, **how)
        assert done.code == flametap.DONE, done
        super().__init__(json.loads(path.read_text()))

"""The binary under test, and what it prints."""

import collections
import json
import math
import os
import re
import signal
import subprocess
from pathlib import Path

from pythons import REPOSITORY
from target import PATIENCE_S, wait_until

PAUSES = 6  # after which some samples are done

DONE, FAILED, USAGE, NOT_PERMITTED, NO_SUCH_PROCESS, NOT_PYTHON = range(6)

# An instruction that belongs to no line has none: the first one of a module, for example. Code that a program compiled
# without a file name has no file; our own markers stand in parentheses.
FRAME = re.compile(r"^(?P<name>.*) \((?P<file>.*?)(:(?P<line>\d+))?\)$|^(?P<bare>[^(].*)$", re.DOTALL)

NOT_SAMPLED = "(not sampled)"  # what stands where time passed without a sample

Frame = collections.namedtuple("Frame", "name file line")


def binary():
    return os.environ.get("FLAMETAP") or str(REPOSITORY / "build" / "flametap")


class Run:
    """A finished run."""

    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err.decode(errors="replace")

    def __repr__(self):
        return "exit code %s\n%s" % (self.code, self.err)


def run(*args, wrap=(), patience_s=PATIENCE_S, **options):
    """Runs `flametap ARGS` to its end; `wrap` is a command in front of it, such as taskset."""
    process = start(*args, wrap=wrap, **options)
    try:
        out, err = process.communicate(timeout=patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError("flametap %s did not end within %d s:\n%s" % (" ".join(map(str, args)), patience_s,
                                                                           err.decode(errors="replace")))
    return Run(process.returncode, out, err)


def start(*args, wrap=(), **options):
    # As the target, which has one, too: see Target.
    options.setdefault("start_new_session", True)
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([str(word) for word in (*wrap, binary(), *args)], **options)


def children_of(pid):
    """The processes that its first thread has started."""
    return [int(word) for word in Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]


def sampler_of(process):
    """The process that samples for a `record` that was not started as the leader of a session, or that starts a command."""
    wait_until(lambda: process.poll() is not None or children_of(process.pid), "there is a sampler")
    assert process.poll() is None, "flametap ended at once"
    (sampler,) = children_of(process.pid)
    return sampler


def dump(pid, **options):
    """What `flametap dump --json` says of a process; it must succeed."""
    done = run("dump", "-p", pid, "--json", **options)
    assert done.code == DONE, done
    return json.loads(done.out)


class Folded:
    """A recording in the folded format: {tuple of frames, root first: count}, and apart from it our own markers."""

    def __init__(self, text):
        self.stacks = collections.Counter()
        self.markers = collections.Counter()
        self.not_sampled = 0
        for line in text.splitlines():
            stack, _, count = line.rpartition(" ")
            assert stack and count.isdigit(), "not a folded line: %r" % line
            parts = stack.split(";")
            frames = [FRAME.match(part) for part in parts]
            if parts[-1] == NOT_SAMPLED:
                self.not_sampled += int(count)
            elif all(frames):
                self.stacks[tuple(Frame(f["bare"] or f["name"], f["file"] or "", int(f["line"] or 0)) for f in frames)] += int(count)
            else:
                unknown = [part for part, frame in zip(parts, frames) if not frame]
                assert all(part.startswith("(") and part.endswith(")") for part in unknown), "not a frame: %r" % line
                self.markers[";".join(unknown)] += int(count)

    @property
    def total(self):
        return sum(self.stacks.values())


JsonSample = collections.namedtuple("JsonSample", "process thread function state ticks time_ns weight_ns")


def samples_of(recording):
    """The samples of a recording in the json format; `function` is the innermost one's name, "" if there is none."""
    strings, functions, frames = (recording[name] for name in ("strings", "functions", "frames"))
    names = [""] + [strings[functions["name"][frames["function"][frame]]] for frame in recording["stacks"]["frame"]]
    columns = (recording["samples"][name] for name in ("thread", "stack", "state", "ticks", "time_ns", "weight_ns"))
    for thread, stack, state, ticks, time_ns, weight_ns in zip(*columns):
        owner = recording["threads"][thread]
        yield JsonSample(recording["processes"][owner["process"]], owner, names[stack], state, ticks, time_ns,
                         weight_ns)


def stacks_of(recording, make_frame=None):
    """The stacks of a recording in the json format by their number, each the outermost frame first.

    make_frame(number) is what stands for a frame of its table; without it, a Frame.
    """
    strings, functions, frames = (recording[name] for name in ("strings", "functions", "frames"))

    def plain_frame(number):
        function = frames["function"][number]
        return Frame(strings[functions["name"][function]], strings[functions["file"][function]], frames["line"][number])

    known = [(make_frame or plain_frame)(number) for number in range(len(frames["function"]))]
    stacks = [()]
    for parent, number in zip(recording["stacks"]["parent"], recording["stacks"]["frame"]):
        stacks.append(stacks[parent] + (known[number],))
    return stacks


class Weight:
    """The time that samples stand for, and how far chance alone may lead a share of it astray.

    A sample that comes late stands for the ticks that were missed before it, too. On a busy machine, or one whose CPUs
    the host takes away for a while, a single one may weigh as much as hundreds; so it is their squares that count.
    """

    def __init__(self):
        self.ns = 0
        self.squares = 0
        self.unseen_ns = 0  # time that no sample stands for

    def add(self, recording, counts=lambda stack: True):
        """The samples of a recording in the json format, or those whose stack, by its number, counts.

        Of a share among some of the samples, the others say nothing: neither their number nor their weight may count.
        """
        interval_ns = 1e9 / recording["recording"]["rate_hz"]
        samples = recording["samples"]
        for stack, ticks, weight_ns in zip(samples["stack"], samples["ticks"], samples["weight_ns"]):
            if ticks == 0:
                self.unseen_ns += weight_ns
            if ticks == 0 or not counts(stack):
                continue
            # Samples in a row with one stack stand together: at the worst, one of them was as late as all of them.
            others = ticks - 1
            self.ns += weight_ns
            self.squares += others * interval_ns ** 2 + (weight_ns - others * interval_ns) ** 2

    @property
    def equal_samples(self):
        """So many samples of one weight have as much of chance in them."""
        return self.ns ** 2 / self.squares if self.squares else 0

    def sigma(self, share):
        """The standard deviation of such a share of the time."""
        return math.sqrt(share * (1 - share) / self.equal_samples)


class Recording:
    """A finished `record`: its run, its statistics and, where it was asked for as folded, its stacks."""

    def __init__(self, finished, stats, folded):
        self.run = finished
        self.stats = stats
        self.folded = folded


def into(folder):
    """The options that make `record` write what recorded() reads."""
    return ["-f", "folded", "-o", Path(folder) / "recording.folded", "--stats", Path(folder) / "recording.stats"]


def recorded(folder, done):
    """What a finished `record ... into(folder)` wrote; it must have succeeded."""
    assert done.code == DONE, done
    stats = json.loads((Path(folder) / "recording.stats").read_text())
    return Recording(done, stats, Folded((Path(folder) / "recording.folded").read_text()))


def record(folder, *args, **options):
    """Records in the folded format; it must succeed."""
    return recorded(folder, run("record", *args, *into(folder), **options))


def start_pausing(target, cpu, *args, **options):
    """Starts a recording that has to pause the target, because it may neither run on the target's CPU nor
    interrupt it.

    Returns when some samples are done.
    """
    process = start("record", "--no-interrupt", "-p", target.pid, *args, wrap=["taskset", "-c", cpu], **options)
    wait_for_pauses(process, target)
    return process


def wait_for_pauses(process, target):
    """Returns during one of the pauses. Being traced is the one sign from outside that sampling has begun.

    A single sample may have been taken in any function; and for some it takes two pauses.
    """
    for is_traced in (*(True, False) * PAUSES, True):
        wait_until(lambda: process.poll() is not None or (target.tracer() != 0) == is_traced, "the target was paused", pause_s=0.0001)
        assert process.poll() is None, Run(process.returncode, *process.communicate())


def so_far(path):
    """What a recording holds that may still be going on, in flametap's own JSON; None: nothing yet."""
    done = run("report", path, "-f", "json", "-o", "-")
    return json.loads(done.out) if done.code == DONE else None


def wait_until_it_holds(process, path, condition, what):
    """Waits for something to be in a recording that `process` makes; reads it each time it has grown.

    `path` is its .ftap file, or the folder in which it will be the only one.
    """
    size = 0

    def holds():
        nonlocal size
        assert process.poll() is None, "it ended before %s was in the recording: %r" % (what, finish(process))
        file = next(iter(path.glob("*.ftap")), path / "none") if path.is_dir() else path
        before, size = size, file.stat().st_size if file.exists() else 0
        recording = so_far(file) if size > before else None
        return recording is not None and condition(recording)

    wait_until(holds, what + " is in the recording")


def journal_of(path):
    """The file that grows while the recording goes on of which `path` is the result."""
    return path if path.suffix == ".ftap" else Path(str(path) + ".partial.ftap")


def record_until(path, condition, what, *args, **options):
    """Records until something is in the recording; the run must succeed."""
    process = start("record", *args, "-o", path, **options)
    try:
        wait_until_it_holds(process, journal_of(path), condition, what)
        done = interrupt(process)
    finally:
        process.kill()
    assert done.code == DONE, done


def functions_of(recording):
    """The names of all functions that were on a stack, of a recording in the json format."""
    strings, functions, frames = (recording[name] for name in ("strings", "functions", "frames"))
    return {strings[functions["name"][frames["function"][frame]]] for frame in recording["stacks"]["frame"]}


def finish(process):
    """Waits for the end of a flametap that was started."""
    out, err = process.communicate(timeout=PATIENCE_S)
    return Run(process.returncode, out, err)


def interrupt(process, number=signal.SIGINT):
    """Ends a running flametap with a signal and gives the finished run."""
    process.send_signal(number)
    return finish(process)

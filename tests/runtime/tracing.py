"""Tracing with markers, as tests need it: which interpreters have them, whether they are armed, and what a trace says."""

import collections
import functools
import json
import os
import re
import subprocess
from pathlib import Path

import flametap
from target import wait_until

CALL_MARKERS = ("function__entry", "function__return")
EVENT_MARKERS = {
    "call": CALL_MARKERS,
    "line": ("line",),
    "gc": ("gc__start", "gc__done"),
    "import": ("import__find__load__start", "import__find__load__done"),
    "audit": ("audit",),
}

Marker = collections.namedtuple("Marker", "name location semaphore")
Segment = collections.namedtuple("Segment", "offset address size")


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE).stdout.decode()


@functools.lru_cache(maxsize=None)
def markers_in(path):
    """The markers of the provider `python` in an ELF file, as readelf reads them."""
    pattern = re.compile(r"Provider: python\s+Name: (\S+)\s+Location: (\S+), Base: \S+, Semaphore: (\S+)")
    return [Marker(name, int(location, 16), int(semaphore, 16))
            for name, location, semaphore in pattern.findall(output_of("readelf", "-nW", path))]


def marked_file(interpreter):
    """The file of an interpreter that has its markers."""
    files = (interpreter.command[-1], interpreter.libpython)
    return next((path for path in files if path and markers_in(path)), None)


def aborts_when_armed(interpreter):
    """Whether an assertion of its own ends it as soon as somebody listens to its line marker."""
    return interpreter.minor == (3, 11) and interpreter.debug


def with_markers(interpreters, *events):
    """The first of each version, and of its debug builds, that has the markers of these events."""
    chosen = {}
    for each in interpreters:
        key = (each.minor, each.debug)
        if key in chosen or each.minor < (3, 6):
            continue
        path = marked_file(each)
        names = {marker.name for marker in markers_in(path)} if path else set()
        tells_of_calls = not aborts_when_armed(each) or not {"call", "line"} & set(events)
        if tells_of_calls and all(set(EVENT_MARKERS[event]) <= names for event in events):
            chosen[key] = each
    return list(chosen.values())


def segments_of(path):
    pattern = re.compile(r"^\s+LOAD\s+(0x\S+) (0x\S+) 0x\S+ (0x\S+)", re.MULTILINE)
    return [Segment(*(int(number, 16) for number in found)) for found in pattern.findall(output_of("readelf", "-lW", path))]


class Marks:
    """The markers of a running process: is somebody there who listens to them?"""

    def __init__(self, pid, path, minor):
        self.pid = pid
        self.minor = minor
        segments = segments_of(path)
        bias = self._bias(os.path.realpath(path), segments)
        self.markers = [marker._replace(location=marker.location + bias, semaphore=marker.semaphore + bias)
                        for marker in markers_in(path)]
        # From the file: somebody else may be listening already.
        with open(path, "rb") as file:
            self.at_rest = {marker: os.pread(file.fileno(), 5, self._offset(marker.location - bias, segments))
                            for marker in self.markers}

    @staticmethod
    def _offset(address, segments):
        segment = next(each for each in segments if each.address <= address < each.address + each.size)
        return address - segment.address + segment.offset

    def _bias(self, path, segments):
        for line in Path("/proc/%d/maps" % self.pid).read_text().splitlines():
            words = line.split(None, 5)
            if len(words) == 6 and os.path.realpath(words[5]) == path:
                page = int(words[2], 16)
                segment = next(each for each in segments if each.offset & ~0xfff == page)
                return int(words[0].split("-")[0], 16) - (segment.address & ~0xfff)
        raise AssertionError("%s is not mapped in %d" % (path, self.pid))

    def _read(self, address, size):
        with open("/proc/%d/mem" % self.pid, "rb", buffering=0) as memory:
            return os.pread(memory.fileno(), size, address)

    def bytes(self):
        """What stands where the markers are, in the program's code."""
        return {marker: self._read(marker.location, 5) for marker in self.markers}

    def semaphores(self):
        return {marker.name: int.from_bytes(self._read(marker.semaphore, 2), "little") for marker in self.markers}

    def wait_until_armed(self, *events):
        """Until somebody listens to all markers of these events."""
        names = {name for event in events for name in EVENT_MARKERS[event]}
        # 3.11 tells of calls only while its line marker is armed, which may be so without a probe there.
        semaphores = names | ({"line"} if self.minor == (3, 11) and "call" in events else set())

        def armed():
            now = self.bytes()
            probed = all(now[marker] != self.at_rest[marker] for marker in self.markers if marker.name in names)
            return probed and all(count > 0 for name, count in self.semaphores().items() if name in semaphores)

        wait_until(armed, "the markers %s of %d are armed" % (", ".join(sorted(names)), self.pid))

    def are_at_rest(self):
        return self.bytes() == self.at_rest and not any(self.semaphores().values())


def marks_of(target, interpreter):
    return Marks(target.pid, marked_file(interpreter), interpreter.minor)


def descriptors(pid):
    """What the kernel says of each descriptor of a process."""
    for path in Path("/proc/%d/fdinfo" % pid).iterdir():
        try:
            yield path.read_text()
        except OSError:  # closed meanwhile
            pass


def kernel_ids(pid, kind):
    """What a process holds in the kernel: the ids of its programs (`prog`) or of what attaches them (`link`)."""
    pattern = re.compile(r"^%s_id:\s*(\d+)" % kind, re.MULTILINE)
    return {int(number) for text in descriptors(pid) for number in pattern.findall(text)}


# A link to one place of a marker, or to all places of one.
TO_A_MARKER = re.compile(r"link_type:\t(perf|uprobe_multi)")


def wait_until_attached(process, *events):
    """Until a flametap holds a link to each marker of these events."""
    count = sum(len(EVENT_MARKERS[event]) for event in events)

    out = Path(process.args[process.args.index("-o") + 1])

    def attached():
        # Its output is there once it watches, which is after it has attached all of its probes.
        return out.exists() and sum(bool(TO_A_MARKER.search(text)) for text in descriptors(process.pid)) >= count

    wait_until(lambda: process.poll() is not None or attached(), "it is attached")
    assert process.poll() is None, flametap.finish(process)


class Trace:
    """A trace in JSON lines: its events, and how it ended."""

    def __init__(self, text):
        rows = text.splitlines()
        lines = json.loads("[%s]" % ",".join(rows))  # hundreds of thousands of them: one by one takes twice as long
        assert len(lines) == len(rows), "an event is not a line of its own"
        assert lines and lines[-1]["event"] == "end", lines[-1:]
        self.events, self.end = lines[:-1], lines[-1]

    def of(self, *kinds):
        return [event for event in self.events if event["event"] in kinds]

    def assert_whole(self):
        """Nothing is missing, and nothing stands where it does not belong."""
        assert (self.end["lost"], self.end["out_of_order"], self.end["unnamed"]) == (0, 0, 0), self.end
        shown = len(self.events) - len(self.of("thread_end"))
        assert self.end["events"] == shown, (self.end, shown)
        times = [event["time_ns"] for event in self.events]
        assert times == sorted(times), "not in the order of time"

    def counts(self, kind, file, key=lambda event: event["function"]):
        return dict(collections.Counter(key(event) for event in self.of(kind) if event.get("file") == str(file)))

    def assert_balanced(self):
        """Every call has its return in its thread, at its depth, of the same function. Gives what is left open."""
        open_calls = collections.defaultdict(list)
        for event in self.of("call", "return"):
            calls = open_calls[event["tid"]]
            if event["event"] == "call":
                assert event["depth"] == (calls[-1]["depth"] + 1 if calls else event["depth"]), (event, calls[-3:])
                calls.append(event)
            elif calls:
                call = calls.pop()
                for key in ("depth", "function", "file"):
                    assert event.get(key) == call.get(key), (call, event)
                assert event["time_ns"] >= call["time_ns"]
            else:
                assert event["depth"] < 0, event  # it was called before the trace began
        return {tid: calls for tid, calls in open_calls.items() if calls}


def start_attached(start, interpreter, words, out, events, *options, **how):
    """Traces a target that waits for a line, and tells it to go on; gives both. `how` flametap is started."""
    target = start(interpreter, *words)
    target.says()
    marks = marks_of(target, interpreter)
    process = flametap.start("trace", "-p", target.pid, "--events", ",".join(events), "-o", out, *options, **how)
    try:
        marks.wait_until_armed(*events)
        wait_until_attached(process, *events)  # a place is probed before it is known what for
    except BaseException:
        process.kill()
        print(flametap.finish(process))
        raise
    target.tell("go")
    return target, process


def trace(start, interpreter, words, out, events, *options):
    """A trace of a target from its line to its end, as JSON lines."""
    _, process = start_attached(start, interpreter, words, out, events, "--format", "jsonl", *options)
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return Trace(Path(out).read_text())

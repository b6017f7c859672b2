"""Linux perf and bpftrace: the kernel samples by frame pointers, the target itself names its functions (-X perf)."""
import collections
import os
import re
import subprocess
from pathlib import Path

from peers.peer import MAX, Peer, Recording, Unavailable
from truth import TRUNCATED, Frame

DEEPEST = 127  # kernel.perf_event_max_stack; what is deeper is cut off at the root
NAMED = re.compile(r"py::(?P<function>.+?):(?P<file>/.*?)(\+(0x)?[0-9a-f]+)?( \(.*\))?$")
SAMPLED_AT = re.compile(r"^ *(\d+) +(\d+\.\d+): *$", re.MULTILINE)
WITH_FRAME_POINTERS = (3, 15)


def perf_way(python, script, environment):
    return [*python, *script], {**environment, "PYTHONPERFSUPPORT": "1"}


class KernelPeer(Peer):
    has_lines = False
    counts_waiting = False
    way = staticmethod(perf_way)
    way_name = "-X perf"

    def why_not(self, interpreter, _variant, _rate):
        if interpreter.minor < (3, 12):
            return "before 3.12 CPython does not name its functions to perf"
        if interpreter.minor < WITH_FRAME_POINTERS:
            return "this interpreter is built without frame pointers, so that stacks end at the first frame"
        return None


class Perf(KernelPeer):
    name = "perf"
    how = "`-e cpu-clock -g`; the target runs with `-X perf`, and its speed is that beside a plain one"

    def __init__(self, kit):
        self.program = kit.from_debian("linux-perf", "perf")
        self.version = kit.version_of(self.program)

    def record(self, job):
        return [self.program, "record", "-q", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "-g", "-o", str(job.output),
                "-F", "max" if job.rate == MAX else job.rate]

    def attach(self, job):
        return [*self.record(job), "-p", str(job.pid), "--", "sleep", str(job.seconds)], None

    def launch(self, job):
        return [*self.record(job), "--", *job.command], {**job.environment, "PYTHONPERFSUPPORT": "1"}

    def read(self, job, _out, _err):
        done = subprocess.run([self.program, "script", "-F", "pid,time,ip,sym,dso", "-i", str(job.output)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, errors="replace")
        if done.returncode:
            raise Unavailable(done.stderr.strip()[-300:])
        heads = SAMPLED_AT.findall(done.stdout)
        if job.command:
            remove_maps(pid for pid, _ in heads)
        times = [float(time) for _, time in heads]
        read = recording(perf_samples(done.stdout))
        return read._replace(first=min(times), last=max(times)) if times else read


class Bpftrace(KernelPeer):
    name = "bpftrace"
    how = "`profile:hz:RATE` and `ustack`, symbols cached; the target as for perf"
    speaks_at_first_sample = True

    def __init__(self, kit):
        self.program = kit.from_debian("bpftrace", "bpftrace")
        self.version = kit.version_of(self.program)

    def why_not(self, interpreter, variant, rate):
        if rate == MAX:
            return "has no rate of its own that would be the fastest"
        return super().why_not(interpreter, variant, rate)

    def attach(self, job):
        program = (f"profile:hz:{job.rate} /pid == {job.pid}/ {{ @[ustack(perf, {DEEPEST})] = count(); }} "
                   f"interval:ms:{round(1000 * job.seconds)} {{ exit(); }}")
        # Without the cache it takes a quarter of a minute for the names of a thousand stacks.
        return [self.program, "-o", str(job.output), "-e", program], {**os.environ, "BPFTRACE_CACHE_USER_SYMBOLS": "1"}

    def read(self, job, _out, err):
        lost = re.findall(r"Lost (\d+) events", err)
        read = recording(bpftrace_samples(job.output.read_text(errors="replace")))
        return read._replace(lost={**read.lost, "events": sum(map(int, lost))} if lost else read.lost)


def remove_maps(pids):
    """What ended processes wrote for perf."""
    for pid in set(pids):
        Path(f"/tmp/perf-{pid}.map").unlink(missing_ok=True)


def perf_samples(text):
    """Pairs of lines of frames, innermost first, and a count, of what `perf script` prints."""
    for block in text.split("\n\n"):
        lines = [line.strip() for line in block.splitlines() if line.startswith("\t")]
        if lines:
            yield lines, 1


def bpftrace_samples(text):
    for block in re.finditer(r"^@\[\n(.*?)\]: (\d+)$", text, re.MULTILINE | re.DOTALL):
        yield [line.strip() for line in block[1].splitlines()], int(block[2])


def recording(samples):
    """Only the frames of Python: with those of C in between, stacks are compared to no truth that we have."""
    stacks, lost = collections.Counter(), collections.Counter()
    for lines, count in samples:
        found = [NAMED.search(line) for line in lines]
        stack = tuple(Frame(each["function"], each["file"]) for each in reversed(found) if each)
        if len(lines) >= DEEPEST:
            stack = (Frame(TRUNCATED), *stack)
            lost["truncated"] += count
        stacks[stack] += count
    return Recording(list(stacks.items()), sum(stacks.values()), dict(lost))

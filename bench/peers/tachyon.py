"""Tachyon, the sampling profiler of CPython 3.15: reads the target's memory while it runs, or is stopped."""
import re
from pathlib import Path

from peers import folded
from peers.peer import MAX, Peer, Recording, Unavailable, whole_seconds

FASTEST = "1000000"
MINOR = (3, 15)


class Tachyon(Peer):
    name = "tachyon"
    how = "`--mode cpu -a --collapsed`: all threads that run"
    options = ("--mode", "cpu")

    def __init__(self, kit):
        found = [each for each in kit.interpreters if each.minor == MINOR and not each.debug]
        if not found:
            raise Unavailable("no CPython 3.15: tools/pythons fetch")
        self.python, self.version = found[0], found[0].version

    def why_not(self, interpreter, _variant, _rate):
        return None if interpreter.version == self.version else "profiles only processes of its own version"

    def sample(self, job, verb):
        children = ["--subprocesses"] if job.children else []
        return [*self.python.command, "-m", "profiling.sampling", verb, *self.options, "-a", "--collapsed", *children,
                "-r", FASTEST if job.rate == MAX else job.rate, "-o", str(job.output)]

    def dump(self, pid):
        environment = [f"{name}={value}" for name, value in self.python.env.items()]
        blocking = ["--blocking"] if "--blocking" in self.options else []
        return ["env", *environment, *self.python.command, "-m", "profiling.sampling", "dump", *blocking, str(pid)]

    def attach(self, job):
        return [*self.sample(job, "attach"), "-d", whole_seconds(job), str(job.pid)], self.python.environment()

    def launch(self, job):
        script = job.command[len(self.python.command):]
        # It does not let a script import from its own folder.
        return [*self.sample(job, "run"), *script], {**job.environment, "PYTHONPATH": str(Path(script[0]).parent)}

    def read(self, job, out, err):
        stacks = []
        for file in job.output.parent.glob(job.output.name + "*"):  # of children: with their process ids
            stacks += folded.read(file.read_text(errors="replace"), folded.frame_with_colons)
        return recording(stacks, out + err)


class TachyonBlocking(Tachyon):
    name = "tachyon --blocking"
    how = "`--mode gil -a --collapsed`, stopping the target: its mode cpu finds no thread running then"
    options = ("--mode", "gil", "--blocking")


def recording(stacks, words):
    """It says how many moments it looked at, and of how many of them (in percent) it could not read the stacks."""
    samples = sum(count for _, count in stacks)
    captured, failed, missed = (re.search(pattern, words) for pattern in (
        r"Captured ([\d,]+) samples", r"Error rate: ([\d.]+)", r"missed ([\d,]+) samples"))
    lost = round(number(captured) * float(failed[1]) / 100) if captured and failed else 0
    return Recording(stacks, samples, {"errors": lost} if lost else {}, {"missed": number(missed)} if missed else {})


def number(found):
    return int(found[1].replace(",", ""))

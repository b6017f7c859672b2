"""cProfile: sees every call, from inside of the target. It cannot attach: the target is started with it, idle."""
import marshal
import platform
import sys
from pathlib import Path

from peers.peer import Peer, Recording
from truth import Frame

HERE = Path(__file__).resolve().parent
SWITCH = """
import os, signal, sys, time
pid, seconds, output = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
os.kill(pid, signal.SIGUSR1)
time.sleep(seconds)
os.kill(pid, signal.SIGUSR2)
while not os.path.exists(output):
    os.kill(pid, 0)
    time.sleep(0.01)
"""
SMALLEST_SHARE = 1e-3


def switched_way(python, script, environment):
    """Behind the script stands its truth file: the profile is to be beside it."""
    return [*python, str(HERE / "cprofile_inside.py"), profile_beside(script[1]), *script], environment


def profile_beside(truth_file):
    return str(Path(truth_file).with_name("profile"))


class CProfile(Peer):
    name = "cProfile"
    version = "of each interpreter"
    how = "switched on for the same time; shares by its own times of functions, C functions counted to their callers"
    rates = False
    has_stacks = False
    has_lines = False
    is_inside = True
    way = staticmethod(switched_way)
    way_name = "cProfile"

    def __init__(self, _kit):
        self.reader = platform.python_version()

    def attach(self, job):
        self.output(job).unlink(missing_ok=True)
        return [sys.executable, "-c", SWITCH, str(job.pid), str(job.seconds), str(self.output(job))], None

    def launch(self, job):
        script = next(index for index, word in enumerate(job.command) if word.endswith(".py"))
        return [*job.command[:script], "-m", "cProfile", "-o", str(job.output), *job.command[script:]], job.environment

    @staticmethod
    def output(job):
        return Path(profile_beside(job.truth_file)) if job.truth_file else job.output

    def read(self, job, _out, _err):
        stats = marshal.loads(self.output(job).read_bytes())
        return Recording(list(stacks_of(stats)), sum(calls for _, calls, _, _, _ in stats.values()))


def stacks_of(stats):
    """What stacks cost, as far as who called whom says it: each function's own time below its callers."""
    for function, (_, _, own, _, callers) in stats.items():
        for caller, times in callers.items():
            for way, part in ways_to(stats, caller) or [((caller,), 1.0)]:
                yield tuple(map(frame, (*way, function))), part * times[2]
        known = sum(times[2] for times in callers.values())
        if own > known:
            yield (frame(function),), own - known


def ways_to(stats, function, share=1.0, above=()):
    """The ways that lead to a function, each with its part: split by how long it took below each of its callers.

    Ways that lead in a circle, or of very little share, are left out: recursion was entered by another way.
    """
    callers = stats[function][4] if function in stats else {}
    if not callers:
        return [((function,), 1.0)]
    total = sum(times[3] for times in callers.values()) or 1.0
    found = []
    for caller, times in callers.items():
        part = times[3] / total
        if caller != function and caller not in above and share * part >= SMALLEST_SHARE:
            ways = ways_to(stats, caller, share * part, (*above, function))
            found += [((*way, function), part * rest) for way, rest in ways]
    left = sum(part for _, part in found)
    return [(way, part / left) for way, part in found] if left else []


def frame(function):
    file, _line, name = function  # the line is that of the definition
    return Frame(name, file)

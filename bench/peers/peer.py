"""What a profiler has to say of itself so that it can be measured."""
from typing import NamedTuple

MAX = "max"  # the rate: as fast as it goes
NO_RATE = "all"  # the rate of those that see every call


class Unavailable(Exception):
    """Says why a profiler cannot be had here, or cannot do what is asked for."""


class Recording(NamedTuple):
    """What a profiler wrote."""
    stacks: list  # pairs of a stack (see truth.py) and its weight: a count, or a time
    samples: int
    lost: dict = {}  # by its own word, such as {"torn": 3}
    said: dict = {}  # anything else that it says of itself
    equal_samples: int = 0  # where samples weigh differently: so many of equal weight have the same noise
    first: float = 0.0  # when the first and the last sample were taken, by the monotonic clock, where it says so
    last: float = 0.0


class Job(NamedTuple):
    """One run of a profiler."""
    rate: str  # "1000", MAX, or NO_RATE
    seconds: float
    output: object  # the file to write, in a folder that is its own
    pid: int = 0  # to attach to, or
    truth_file: object = None  # of that target
    command: tuple = ()  # to start
    environment: dict = {}
    children: bool = False  # also the processes that it starts
    cpu: object = None  # where it is to live, if anywhere


def plain_way(python, script, environment):
    """The way in which most profilers want a target to be started."""
    return [*python, *script], environment


def whole_seconds(job):
    """For a profiler that knows no others."""
    if job.seconds != int(job.seconds):
        raise Unavailable("knows whole seconds only")
    return str(int(job.seconds))


class Peer:
    """A profiler. The constructor raises Unavailable where it cannot be had."""

    name = ""
    version = ""
    how = ""  # which options were chosen, and why, for the report
    rates = True  # False: it has none, and is measured once for all
    is_ours = False
    has_stacks = True  # False: only functions and their callers
    has_lines = True
    counts_waiting = True  # a thread that is ready to run counts as one that runs: its truth is wall time
    is_inside = False  # it works in the target, so that it has no CPU time of its own
    ends_by_interrupt = False  # it is given no duration, but Ctrl-C
    speaks_at_first_sample = False  # it prints something when it begins to sample
    pins_itself = False  # it is told its CPU, and not kept on it
    way = staticmethod(plain_way)
    way_name = "plain"  # targets of the same name are shared

    def why_not(self, interpreter, variant, rate):
        """The reason why it cannot do this, or None."""
        return None

    def dump(self, pid):
        """The command that takes one sample: how long that takes is its start-up. None: it has no such command."""
        return None

    def attach(self, job):
        """The command, and the environment where it needs another."""
        raise NotImplementedError

    def launch(self, job):
        raise Unavailable("cannot start a command")

    def read(self, job, out, err):
        """The Recording that a finished job wrote."""
        raise NotImplementedError

"""What all targets of the benchmark share: the file with the truth, the clock, the blocks, the description.

A target works in blocks of about a millisecond, each for one label. The CPU time of the thread is read before and after a block:
what passed in between belongs to the block's label, everything else (clocks, cells, the loop around) to the label REST, which is
the name of the target's function that calls us. So the cells add up to the thread's CPU time, and calls of 50 ns are measured without
a clock in each of them. See README.md for the contract with the harness.
"""
import argparse
import collections
import json
import mmap
import os
import random
import re
import struct
import sys
import threading
import time
from itertools import repeat

REST = "work"
BLOCK_NS = 1000000
BLOCKS_PER_GROUP = 100  # in each group of blocks the labels have their designed shares
GROUPS = 20
CHECKED_ROUNDS = 2

# Units of progress, about nanoseconds. They are the same in every run, whatever the calibration says.
TURN, CALL, TURN_OF_CALL = 10, 60, 25


def thread_clock():
    """A function that tells the CPU time of its thread in nanoseconds."""
    if hasattr(time, "thread_time_ns"):
        return time.thread_time_ns
    if hasattr(time, "clock_gettime"):
        return lambda: int(time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) * 1e9)
    import ctypes
    get_time, moment, thread_cpu_time = ctypes.CDLL(None).clock_gettime, (ctypes.c_long * 2)(), 3
    where = ctypes.byref(moment)

    def clock():
        get_time(thread_cpu_time, where)
        return moment[0] * 1000000000 + moment[1]

    return clock


def options(description, **defaults):
    """What the command line says: options(__doc__, depth=20) knows --depth N, which is 20 if not said."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("truth_file")
    parser.add_argument("--description", help="also write the description to this file")
    parser.add_argument("--check", type=int, default=0, help="first run so many blocks of each label and check every stack")
    for name, default in sorted(defaults.items()):
        parser.add_argument("--" + name, type=type(default), default=default)
    return parser.parse_args()


class Block(collections.namedtuple("Block", "label function share units calls cells")):
    """`function(rounds)` is work of a label that is to get `share` of the time.

    A round is worth `units` of progress and makes about `calls` calls. `cells` get the time, too: those of single lines.
    """

    def __new__(cls, function, share, label=None, units=1, calls=1, cells=()):
        return super(Block, cls).__new__(cls, label or function.__name__, function, share, units, calls, cells)


def cost_of(function):
    """How many nanoseconds a round takes: function(rounds) is tried for about two milliseconds."""
    clock, rounds, took = thread_clock(), 1, 0
    while took < BLOCK_NS // 5:
        rounds = rounds * 2 if took else 1
        began = clock()
        function(rounds)
        took = max(1, clock() - began)
    tries = []
    for _ in range(4):
        began = clock()
        function(rounds)
        tries.append(clock() - began)
    return max(1.0, float(min(tries)) / rounds)


def turns_of(function, length_ns):
    """For a function that loops `turns` times: how many turns make a call of it take about so long."""
    def calls_of(turns):
        def calls(rounds):
            for _ in repeat(None, rounds):
                function(turns)
        return calls

    shortest = cost_of(calls_of(0))
    per_turn = (cost_of(calls_of(1000)) - shortest) / 1000
    return max(0, int(round((length_ns - shortest) / per_turn)))


def units_of(turns):
    return CALL + TURN_OF_CALL * turns


def cost_of_clock(clock):
    tries = []
    for _ in repeat(None, 100):
        began = clock()
        tries.append(clock() - began)
    return sorted(tries)[len(tries) // 2]


def schedule(blocks, costs, block_ns=BLOCK_NS):
    """Which blocks to run, with how many rounds: in random order, of lengths between 0.6 and 1 times `block_ns`."""
    chance = random.Random(1)
    longest = [max(1, int(block_ns / cost)) for cost in costs]
    # A block of few rounds cannot be of any length, so the mean length differs: the number of blocks makes up for it.
    mean = [cost * sum(rounds_between(0.6 + 0.004 * step, most) for step in range(100)) / 100
            for cost, most in zip(costs, longest)]
    frequencies = [block.share / length for block, length in zip(blocks, mean)]
    planned = []
    for _ in range(GROUPS):
        group = []
        for number, frequency in enumerate(frequencies):
            count = max(1, int(round(BLOCKS_PER_GROUP * frequency / sum(frequencies))))
            group += [(number, rounds_between(chance.uniform(0.6, 1), longest[number])) for _ in range(count)]
        chance.shuffle(group)
        planned += group
    return planned


def rounds_between(part, most):
    return max(1, int(round(part * most)))


class Truth(object):
    """The file of cells and the description of a target.

    Cell 0 is progress. With one thread, label i has cell i + 1; with several, each has cells of its own.
    `file` is the target's own: only functions of it count in `possible` and `lines`. Unless it is to be `new`, another process
    has made the file of cells.
    """

    def __init__(self, said, file, labels, possible, threads=1, all_threads=None, line_cells=0, lines=None, new=True):
        self.labels = [label for label in labels if label != REST] + [REST]
        self.file = file
        self.said = said
        self.threads = threads
        self.progress = [0] * threads
        self.first_line_cell = 1 + threads * len(self.labels)
        self.cells = self._map(self.first_line_cell + line_cells, new)
        self.possible = re.compile("(?:%s)\\Z" % possible)
        self.lines = lines or {}
        self.description = {
            "labels": self.labels, "label_of": "any", "possible": possible, "lines": self.lines,
            "threads": all_threads or threads, "single_threaded": (all_threads or threads) == 1, "tolerance_s": 0.002,
            "calls_per_us": 0.0, "pid": os.getpid()}
        if threads > 1:
            self.description["cells"] = {label: [self.cell(label, thread) for thread in range(threads)] for label in self.labels}
        self.counting = False  # from the description on
        self._checked = collections.Counter()
        self._wrong = collections.Counter()

    def _map(self, count, new):
        with open(self.said.truth_file, "w+b" if new else "r+b") as file:
            if new:
                file.truncate(8 * count)
            return mmap.mmap(file.fileno(), 8 * count)

    def cell(self, label, thread=0):
        return 1 + thread * len(self.labels) + self.labels.index(label)

    def read(self, cell):
        return struct.unpack_from("q", self.cells, 8 * cell)[0]

    def watch(self):
        """With --check: from now on every stack of this thread is held against the description."""
        if self.said.check:
            sys.setprofile(self._look)

    def judge(self):
        """Ends the check, and the process if a stack was not as described."""
        sys.setprofile(None)
        if self._wrong:
            sys.stderr.write("impossible by our own word: %s\n" % self._wrong.most_common(5))
            sys.stderr.flush()
            os._exit(1)

    def ready(self, **more):
        """Ends the check, and prints the description: from now on the cells count."""
        if self.said.check:
            for frame in list(sys._current_frames().values()):
                self._look(frame, None, None)
            self.description["checked"] = sum(self._checked.values())
        self.judge()
        self.description.update(more)
        self.counting = True
        line = json.dumps(self.description, sort_keys=True) + "\n"
        if self.said.description:
            with open(self.said.description, "w") as file:
                file.write(line)
        sys.stdout.write(line)
        sys.stdout.flush()

    def _look(self, frame, _event, _argument):
        own = []
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                own.append(frame)
            frame = frame.f_back
        if not own and self.description["threads"] > 1:
            return  # a thread that only begins or ends
        names = ";".join([each.f_code.co_name for each in reversed(own)])
        self._checked[names] += 1
        if self._checked[names] == 1 and not self.possible.match(names):
            self._wrong[names] += 1
        for caller in own[1:]:
            lines = self.lines.get(caller.f_code.co_name)
            if lines and caller.f_lineno not in lines:
                self._wrong["%s:%d calls" % (caller.f_code.co_name, caller.f_lineno)] += 1


class Gathering(object):
    """Lets the threads of a target begin together, after the description is out."""

    def __init__(self, truth, threads):
        self.truth = truth
        self.threads = threads
        self.arrivals = []
        self.arrived = threading.Semaphore(0)
        self.begun = threading.Event()

    def arrive(self, **about):
        self.arrivals.append(about)
        self.arrived.release()

    def arrive_and_wait(self, **about):
        self.arrive(**about)
        self.begun.wait()

    def begin(self):
        for _ in range(self.threads):
            self.arrived.acquire()
        working = [about for about in self.arrivals if about]
        about = {"calls_per_us": sum(each["calls_per_us"] for each in working) / len(working),
                 "tolerance_s": sum(each["tolerance_s"] for each in working)}
        self.truth.ready(shares_by_thread=dict((each["thread"], each["shares"]) for each in working), **about)
        self.begun.set()


class Account(object):
    """One thread's use of the cells. Everything that it does from its making on is accounted for."""

    def __init__(self, truth, thread=0):
        self.truth = truth
        self.thread = thread
        self.spent = collections.defaultdict(int)
        self.rest = truth.cell(REST, thread)
        self.clock = thread_clock()
        self.clock_cost = cost_of_clock(self.clock)
        self.pack = struct.Struct("q").pack_into  # native: one store, so that no reader sees half of it
        self.last = self.clock()

    def block(self, cells, function, argument, units=1):
        """Calls function(argument) and adds its CPU time to the cells, and what passed since the last block to the rest."""
        spent, pack, mapped, progress = self.spent, self.pack, self.truth.cells, self.truth.progress
        began = self.clock()
        function(argument)
        ended = self.clock()
        # Each clock tells the time of its middle, so a whole call of it lies in between: it belongs to the rest.
        used = ended - began - self.clock_cost
        spent[self.rest] += began - self.last + self.clock_cost
        self.last = ended
        for cell in cells:
            spent[cell] += used
            pack(mapped, 8 * cell, spent[cell])
        pack(mapped, 8 * self.rest, spent[self.rest])
        progress[self.thread] += units
        pack(mapped, 0, sum(progress))

    def settle(self):
        """For targets that end: what passed since the last block belongs to the rest."""
        self.spent[self.rest] += self.clock() - self.last
        self.pack(self.truth.cells, 8 * self.rest, self.spent[self.rest])

    def run(self, blocks, block_ns=BLOCK_NS, order=schedule, ready=None):
        """Runs blocks until the process is killed. `ready` is called when the work can begin."""
        truth, thread = self.truth, self.thread
        costs = [cost_of(block.function) for block in blocks]
        planned = order(blocks, costs, block_ns)
        rows = [([truth.cell(block.label, thread)] + list(block.cells), block.function, rounds, rounds * block.units)
                for block, rounds in ((blocks[number], rounds) for number, rounds in planned)]
        truth.watch()
        for block in blocks:
            for _ in range(truth.said.check):
                block.function(CHECKED_ROUNDS)
        sys.setprofile(None)
        longest_ns = max(rounds * costs[number] for number, rounds in planned)
        about = {"calls_per_us": round(sum(1000 * block.share * block.calls / cost for block, cost in zip(blocks, costs)), 3),
                 "tolerance_s": round(1.2e-9 * longest_ns + 0.0002, 6), "shares": shares_by_label(blocks)}
        if ready:
            ready(thread=thread, **about)
        else:
            truth.ready(**about)
        self.last = self.clock()
        run_block = self.block
        while True:
            for row in rows:
                run_block(*row)


def shares_by_label(blocks):
    shares = collections.defaultdict(float)
    for block in blocks:
        shares[block.label] += block.share
    return dict((label, round(share, 6)) for label, share in shares.items())


def marked_lines(file, mark="# call"):
    """Lines of a source file by the function that they are in: those that end with `mark`. The module's own are in "<module>"."""
    found, function = collections.defaultdict(list), "<module>"
    with open(file) as source:
        for number, line in enumerate(source, 1):
            defined = re.match(r"\s*(?:async )?def (\w+)", line)
            if defined:
                function = defined.group(1)
            elif not line[:1].isspace() and line.strip():
                function = "<module>"
            if line.rstrip().endswith(mark):
                found[function].append(number)
    return dict(found)

"""What all targets of the benchmark share: the file with the truth, the description, and the loop that works.

A target works in blocks of about a millisecond, each for one label. The CPU time of the thread is read before and after
a block: what passed in between belongs to the block's label, everything else (clocks, cells, the loop around) to the
label REST, which is the name of the target's function that calls us. So the cells add up to the thread's CPU time, and
calls of 50 ns are measured without a clock in each of them. See README.md for the contract with the harness.
"""
import argparse
import collections
import json
import mmap
import os
import re
import struct
import sys
import threading

from blocks import BLOCK_NS, cost_of, schedule, shares_by_label
from clocks import thread_clock, wall_clock

REST = "work"
CHECKED_ROUNDS = 2


def options(description, **defaults):
    """What the command line says: options(__doc__, depth=20) knows --depth N, which is 20 if not said."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("truth_file")
    parser.add_argument("--description", help="also write the description to this file")
    parser.add_argument("--check", type=int, default=0, help="blocks of each label in which every stack is checked")
    for name, default in sorted(defaults.items()):
        parser.add_argument("--" + name, type=type(default), default=default)
    return parser.parse_args()


class Truth(object):
    """The file of cells and the description of a target.

    Cell 0 is progress. With one thread, label i has cell i + 1; with several, each has cells of its own.
    `file` is the target's own: only functions of it count in `possible`; the lines where they call end with "# call".
    A target that never waits (`waits`) has cells of wall time, too. Unless it is to be `new`, another process has made
    the file of cells. For processes instead of threads, `all_threads` is 1.
    """

    def __init__(self, said, file, labels, possible, threads=1, all_threads=1, line_cells=0, waits=False, new=True):
        self.labels = [label for label in labels if label != REST] + [REST]
        self.file = file
        self.said = said
        self.threads = threads
        self.progress = [0] * threads
        # The thread that never waits has its wall time where the CPU time of a second thread would be.
        self.wall_cells = 0 if waits or threads > 1 else len(self.labels)
        self.first_line_cell = 1 + threads * len(self.labels) + self.wall_cells
        self.cells = self._map(self.first_line_cell + line_cells, new)
        self.possible = re.compile("(?:%s)\\Z" % possible)
        self.lines = marked_lines(file)
        self.description = {
            "labels": self.labels, "label_of": "any", "possible": possible, "lines": self.lines, "threads": all_threads,
            "single_threaded": all_threads == 1, "tolerance_s": 0.002, "calls_per_us": 0.0, "pid": os.getpid()}
        if threads > 1:
            own_cells = lambda label: [self.cell(label, thread) for thread in range(threads)]
            self.description["cells"] = dict((label, own_cells(label)) for label in self.labels)
        if self.wall_cells:
            self.description["wall_cells"] = dict((each, [self.cell(each) + self.wall_cells]) for each in self.labels)
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

    def write(self, cell, value, pack=struct.Struct("q").pack):
        """With one store, so that no reader sees half of it. pack_into() would first fill the cell with zeros."""
        self.cells[8 * cell:8 * cell + 8] = pack(value)

    def watch(self):
        """With --check: from now on every stack of this thread is held against the description."""
        if self.said.check:
            sys.setprofile(self._on_event)

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
                self._look(frame)
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

    def _on_event(self, frame, _event, _argument):
        # Whatever functions of other files do, our own frames stay as they are.
        if frame.f_code.co_filename == self.file:
            self._look(frame)

    def _look(self, frame):
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
        self.clock, self.wall_clock = thread_clock(), wall_clock()
        self.begin()
        self.cost, self.wall_cost = self._cost_of_a_call()

    def begin(self):
        self.last, self.last_wall = self.clock(), self.wall_clock()

    def block(self, cells, function, argument, units=1):
        """Calls function(argument) and adds its CPU time to the cells; what passed since the last one goes to the rest.

        The first of the cells is the label's: it has wall time, too.
        """
        began, wall_began, wall_ended, ended = self._timed(function, argument)
        for cell in cells:
            self._add(cell, ended - began - self.cost)
        self._add(self.rest, began - self.last + self.cost)
        wall = self.truth.wall_cells
        if wall:
            self._add(cells[0] + wall, wall_ended - wall_began - self.wall_cost)
            self._add(self.rest + wall, wall_began - self.last_wall + self.wall_cost)
        self.last, self.last_wall = ended, wall_ended
        progress = self.truth.progress
        progress[self.thread] += units
        self.truth.write(0, sum(progress))

    def _timed(self, function, argument):
        began = self.clock()
        # The kernel likes to take the CPU away in a call of the clock above: that is no time of the block.
        wall_began = self.wall_clock()
        function(argument)
        wall_ended = self.wall_clock()
        return began, wall_began, wall_ended, self.clock()

    def _cost_of_a_call(self):
        """What passes between the clocks although nothing is done: their own calls, and the way into a function and back.

        A profiler sees the caller meanwhile, so it belongs to the rest.
        """
        times = [self._timed(nothing, 0) for _ in range(200)]
        median = lambda values: sorted(values)[len(values) // 2]
        by_wall_clock = median([ended - began for _, began, ended, _ in times])
        return median([ended - began for began, _, _, ended in times]), by_wall_clock

    def _add(self, cell, nanoseconds):
        self.spent[cell] += nanoseconds
        self.truth.write(cell, self.spent[cell])

    def settle(self):
        """For targets that end: what passed since the last block belongs to the rest."""
        self._add(self.rest, self.clock() - self.last)

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
        calls_per_us = sum(1000 * block.share * block.calls / cost for block, cost in zip(blocks, costs))
        about = {"calls_per_us": round(calls_per_us, 3), "tolerance_s": round(1.2e-9 * longest_ns + 0.0002, 6),
                 "shares": shares_by_label(blocks)}
        self.begin()
        if ready:
            ready(thread=thread, **about)
        else:
            truth.ready(**about)
        run_block = self.block
        while True:
            for row in rows:
                run_block(*row)


def nothing(_):
    pass


def marked_lines(file, mark="# call"):
    """Those lines of a source file that end with `mark`, by the function that they are in, or "<module>"."""
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

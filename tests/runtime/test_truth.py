"""No impossible stack, and shares of time that agree with what the target itself measured: see targets/alternate.py.

FLAMETAP_TRUTH_SAMPLES is the number of samples of each case. With the default of 14,000, all cases of one way of
sampling together make more than 80,000 on a machine that has a CPU for each of us; by hand, try 100000.
"""

import bisect
import collections
import contextlib
import itertools
import json
import os
import statistics
import struct
import threading
import time

import pytest

import flametap
import pythons

SAMPLES = int(os.environ.get("FLAMETAP_TRUTH_SAMPLES", "14000"))
RATE_HZ = 10000

# A sample that comes late stands for all the time before it, and says no more of it than another of its own. So it takes
# long on a busy machine to come to as many. After so many seconds fewer are enough; the bounds are always those of the
# samples that there are.
LEAST_SAMPLES = {2: SAMPLES / 7, 3: SAMPLES / 14, 9: SAMPLES / 140}

# Where within the reading of a clock its moment lies; the reasoning is in targets/alternate.py.
CLOCK_ERROR = 0.0005

# The file compares many shares. Each gets so many standard deviations that a true profiler fails in one of ten million
# runs of the whole file: about 6.3. What can be seen with them depends on their product with the deviation of a share,
# 2.5 % for a third of the time, which is why there are so many samples.
COMPARISONS = 3 * 3 * 5 * 6  # rounds x works x ways x interpreters
SIGMAS = statistics.NormalDist().inv_cdf(1 - 1e-7 / 2 / COMPARISONS)

# Samples say most where the target and flametap have a CPU each: beside other tests it takes four times as long to come to
# as many, and with fewer samples the bounds are wider.
pytestmark = pytest.mark.alone

# Turns of the leaf's loop: about 0.3, 1 and 10 us.
WORKS = {"leaf-0.3us": 5, "leaf-1us": 20, "leaf-10us": 250}


def works_for(interpreter, way):
    """One for each pair of a kind of frames and a way of sampling: each kind and each way meets them all."""
    works = list(WORKS.values())
    number = pythons.FRAME_KINDS.index("%d.%d" % interpreter.minor) + way + pythons.commit_number()
    return works if pythons.FULL else [works[number % len(works)]]


class Alternation:
    """Which stacks alternate.py can have, and in which round each of them was taken."""

    ROUNDS = ("only A", "only B", "both")

    def __init__(self, said):
        self.depth = said["depth"]
        self.static = ["<module>"] + ["S%d" % number for number in range(said["static"])] + ["loop"]
        self.calls = {}  # line of `loop`: the family that is called there
        self.rounds = {}  # line of `loop`: the round
        for kind in ("only A", "only B", "A of both", "B of both"):
            family, this_round = ("A" if "A" in kind else "B"), ("both" if "both" in kind else kind)
            self.calls[said["lines"][kind]] = family
            self.rounds[said["lines"][kind]] = this_round
            self.rounds[said["lines"]["for " + kind]] = this_round

    def why_impossible(self, stack):
        """The reason why alternate.py cannot have this stack, or None."""
        names = [frame.name for frame in stack]
        if names[: len(self.static)] != self.static:
            return "the static part is not there"
        line, above = stack[len(self.static) - 1].line, stack[len(self.static):]
        if not above or [frame.name for frame in above] in (["clock"], ["older_clocks.<locals>.clock"]):
            return None
        family = above[0].name[0]
        if family not in self.depth or len(above) > self.depth[family]:
            return "no such chain"
        if self.calls.get(line) != family:
            return "loop does not call %s on line %d" % (family, line)
        return self.why_no_chain(family, above)

    def why_no_chain(self, family, frames):
        before = sum(depth for other, depth in self.depth.items() if other < family)
        for number, frame in enumerate(frames):
            if frame.name != "%s%d" % (family, number):
                return "%s is not number %d of a chain" % (frame.name, number)
            definition = 3 * (before + number) + 1
            innermost = number == len(frames) - 1
            # Whoever calls stands on the line of the call; the innermost may be on any of its lines.
            if frame.line not in ((definition, definition + 1, definition + 2) if innermost else (definition + 1,)):
                return "%s cannot be on line %d there" % (frame.name, frame.line)
        return None

    def round_of(self, stack):
        """None between two rounds, where it reads the clocks."""
        return self.rounds.get(stack[len(self.static) - 1].line) if len(stack) >= len(self.static) else None


class History:
    """What alternate.py had spent in which round at what time: the truth about any part of it."""

    ROW = struct.Struct("=8q")
    MOST_ROWS = 1 << 19

    def __init__(self, folder, counters):
        self.path = folder / "history"
        self.path.touch()
        os.truncate(self.path, self.MOST_ROWS * self.ROW.size)
        self._counters = counters

    def rows(self, since):
        """[(time in ns, spent)] from the last row before a time on."""
        found, number = [], self._counters.read()[0] // 2 - 1  # the last one may just be written
        with self.path.open("rb") as file:
            while number > 0 and (not found or found[-1][0] > since):
                number -= 1
                file.seek(number % self.MOST_ROWS * self.ROW.size)
                row = self.ROW.unpack(file.read(self.ROW.size))
                found.append((row[0], row[1:7]))
        return found[::-1]

    def spent_in(self, length, first, last):
        """The least and the most of each counter in a part of this length that begins between two times."""
        while self.rows(first)[-1][0] <= last + length:
            self._counters.wait_for_progress()
        rows = self.rows(first)
        times, spent = [row[0] for row in rows], [row[1] for row in rows]
        begin = max(1, bisect.bisect_right(times, first))
        parts = []
        for number in range(begin, bisect.bisect_left(times, last) + 1):
            # It begins after the row before this one and not after it, and ends between two rows, too.
            after = bisect.bisect_right(times, times[number - 1] + length)
            until = min(bisect.bisect_left(times, times[number] + length), len(times) - 1)
            parts.append(([max(0, end - start) for end, start in zip(spent[after - 1], spent[number])],
                          [end - start for end, start in zip(spent[until], spent[number - 1])]))
        return [min(values) for values in zip(*(least for least, _ in parts))], [
            max(values) for values in zip(*(most for _, most in parts))]


class Sampled:
    """Recordings of alternate.py, with what the target measured meanwhile."""

    def __init__(self, said, history):
        self.alternation = Alternation(said)
        self.history = history
        self.stacks = collections.Counter()  # the time that each was seen for, in ns
        self.markers = collections.Counter()
        self.weight, self.weight_in_rounds = flametap.Weight(), flametap.Weight()
        self.stats = collections.Counter()
        self.least, self.most = [0] * 6, [0] * 6

    def add(self, recording, stats, ended_ns):
        # The one thread is there at every tick: whatever came of a reading, it is in the recording or counted.
        assert stats["samples"] + stats["no_frames"] == stats["ticks"], stats
        stacks, samples = flametap.stacks_of(recording), recording["samples"]
        for number, weight_ns in zip(samples["stack"], samples["weight_ns"]):
            if stacks[number][0].name == flametap.NOT_SAMPLED:
                continue
            is_marker = stacks[number][0].name.startswith("(")
            (self.markers if is_marker else self.stacks)[stacks[number]] += weight_ns
        self.weight.add(recording)
        self.weight_in_rounds.add(recording, lambda number: self.alternation.round_of(stacks[number]))
        for name in ("samples", "ticks", "missed_ticks", "torn", "unreadable", "no_frames", "truncated"):
            self.stats[name] += stats[name]
        self.stats.update(stats["steps"])
        # The samples stand for the time from the slot of the first tick on. When the recording began is known by its own
        # clock, to the time that flametap took to get ready and to write it down, which is long on a busy machine.
        earliest = recording["recording"]["start_unix_ns"]
        latest = max(earliest, ended_ns - recording["recording"]["duration_ns"]) + min(samples["time_ns"])
        least, most = self.history.spent_in(sum(samples["weight_ns"]), earliest, latest)
        self.least = [sum(both) for both in zip(self.least, least)]
        self.most = [sum(both) for both in zip(self.most, most)]

    def true_shares(self, first):
        """{round: (share, how far it may be off)} by the clock whose counters begin there."""
        middle = [(least + most) / 2 for least, most in zip(self.least, self.most)][first:first + 3]
        halves = [(most - least) / 2 for least, most in zip(self.least, self.most)][first:first + 3]
        return {name: (time / sum(middle), half / sum(middle))
                for name, time, half in zip(Alternation.ROUNDS, middle, halves)}

    def assert_possible(self):
        for stack, time_ns in self.stacks.items():
            reason = self.alternation.why_impossible(stack)
            shown = ";".join("%s:%d" % (frame.name, frame.line) for frame in stack)
            assert reason is None, "%s (%.1f ms): %s" % (reason, time_ns / 1e6, shown)

    def assert_nothing_lost(self):
        assert self.stats["unreadable"] == 0 and self.stats["torn"] == 0 and self.stats["truncated"] == 0
        assert self.stats["no_frames"] == 0
        assert not self.markers
        # A sample stands for one interval, and for a few that were missed before it; the others are there without a sample.
        # Ticks missed at the end belong to nothing.
        ticks, missed = self.stats["ticks"], self.stats["missed_ticks"]
        assert ticks <= round((self.weight.ns + self.weight.unseen_ns) * RATE_HZ / 1e9) <= ticks + missed

    def assert_shares(self):
        seen = dict.fromkeys(Alternation.ROUNDS, 0)
        for stack, time_ns in self.stacks.items():
            if self.alternation.round_of(stack):
                seen[self.alternation.round_of(stack)] += time_ns
        wall, cpu = self.true_shares(0), self.true_shares(3)
        print(dict(self.stats))
        for name, (true, unknown) in wall.items():
            sampled = seen[name] / sum(seen.values())
            sigma = self.weight_in_rounds.sigma(true)
            error = CLOCK_ERROR + unknown + abs(true - cpu[name][0])
            print("%s: sampled %.4f, true %.4f +- %.4f, sigma %.4f" % (name, sampled, true, error, sigma))
            assert abs(sampled - true) <= SIGMAS * sigma + error, name


@contextlib.contextmanager
def moved_between(cpus, pid):
    """Meanwhile a process is moved from CPU to CPU, several times in a hundredth of a second."""
    is_over = threading.Event()

    def move():
        for cpu in itertools.cycle(cpus):
            os.sched_setaffinity(pid, {cpu})
            if is_over.wait(0.001):
                return

    mover = threading.Thread(target=move)
    mover.start()
    try:
        yield
    finally:
        is_over.set()
        mover.join()


@pytest.fixture
def samples(start, counters, tmp_path):
    """Runs alternate.py and records it; gives a Sampled for every work of a leaf."""

    def record(interpreter, work, *args, cpus=None, wrap=(), meanwhile=lambda pid: contextlib.nullcontext()):
        history = History(tmp_path, counters)
        target = start(interpreter, "alternate.py", counters.path, work, history.path, cpus=cpus)
        said = target.says()
        counters.wait_for_progress()
        sampled = Sampled(said, history)
        recorded_s = 0
        while sampled.weight.equal_samples < min([SAMPLES] + [n for s, n in LEAST_SAMPLES.items() if recorded_s >= s]):
            missing_s = max(500, SAMPLES - sampled.weight.equal_samples) / RATE_HZ
            recorded_s += missing_s
            path, stats = tmp_path / "recording.json", tmp_path / "recording.stats"
            with meanwhile(target.pid):
                done = flametap.run("record", "-p", target.pid, "-r", RATE_HZ, "-d", missing_s, "-f", "json",
                                    "-o", path, "--stats", stats, *args, wrap=wrap)
            ended_ns = time.time_ns()
            assert done.code == flametap.DONE, done
            said_of_it = json.loads(stats.read_text())
            sampled.add(json.loads(path.read_text()), said_of_it, ended_ns)
        target.end()
        return sampled

    def of_each_work(interpreter, way, *args, **options):
        for work in works_for(interpreter, WAYS.index(way)):
            yield record(interpreter, work, *args, **options)

    return of_each_work


WAYS = ("free", "riding", "moved", "moved and riding", "from another CPU", "closed", "closed to interrupts, too", "moving")


def test_free_to_move(frame_kind, samples):
    for sampled in samples(frame_kind, "free"):
        sampled.assert_possible()
        sampled.assert_nothing_lost()
        sampled.assert_shares()


def test_riding_along(frame_kind, samples):
    for sampled in samples(frame_kind, "riding", "--no-interrupt"):
        assert sampled.stats["interrupted"] == 0
        sampled.assert_possible()
        sampled.assert_nothing_lost()
        sampled.assert_shares()


@pytest.mark.parametrize("way, options", [("moved", []), ("moved and riding", ["--no-interrupt"])], ids=["interrupted", "riding"])
def test_moved_from_cpu_to_cpu(usual_python, samples, two_cpus, way, options):
    """Between a look at where the thread is and the reading it is often moved: such a sample must not be lost."""
    for sampled in samples(usual_python, way, *options, meanwhile=lambda pid: moved_between(two_cpus, pid)):
        sampled.assert_possible()
        sampled.assert_nothing_lost()


def test_first_reading_from_another_cpu(frame_kind, samples, two_cpus):
    ours, theirs = two_cpus
    for sampled in samples(frame_kind, "from another CPU", "--cpu", ours, cpus={theirs}):
        assert sampled.stats["interrupted"] > 0
        sampled.assert_possible()
        sampled.assert_nothing_lost()
        sampled.assert_shares()


def test_its_cpu_is_closed_to_us(frame_kind, samples, two_cpus):
    ours, theirs = two_cpus
    for sampled in samples(frame_kind, "closed", cpus={theirs}, wrap=["taskset", "-c", ours]):
        assert sampled.stats["ride_along"] == 0
        sampled.assert_possible()
        sampled.assert_nothing_lost()
        sampled.assert_shares()


def test_its_cpu_is_closed_to_us_and_to_interrupts(frame_kind, samples, two_cpus):
    ours, theirs = two_cpus
    for sampled in samples(frame_kind, "closed to interrupts, too", "--no-interrupt", cpus={theirs},
                           wrap=["taskset", "-c", ours]):
        assert sampled.stats["paused"] > 0
        assert sampled.stats["ride_along"] + sampled.stats["interrupted"] == 0
        sampled.assert_possible()
        sampled.assert_nothing_lost()
        sampled.assert_shares()


def test_neither_riding_nor_pausing(frame_kind, samples, two_cpus):
    """What keeps moving is then counted as torn and never mixed into the stacks."""
    ours, theirs = two_cpus
    for sampled in samples(frame_kind, "moving", "--no-interrupt", "--no-pause", cpus={theirs},
                           wrap=["taskset", "-c", ours]):
        assert sampled.stats["paused"] + sampled.stats["ride_along"] + sampled.stats["interrupted"] == 0
        assert bool(sampled.markers) == (sampled.stats["torn"] + sampled.stats["unreadable"] > 0), sampled.stats
        sampled.assert_possible()

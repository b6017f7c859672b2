"""No impossible stack, and shares of time that agree with what the target itself measured: see targets/alternate.py.

FLAMETAP_TRUTH_SAMPLES is the number of samples of each case. With the default of 7,000, all cases of one way of
sampling together make more than 100,000 and the file takes some minutes; by hand, try 100000.
"""

import collections
import json
import os
import statistics

import pytest

import flametap

SAMPLES = int(os.environ.get("FLAMETAP_TRUTH_SAMPLES", "7000"))
RATE_HZ = 5000

# Where within the reading of a clock its moment lies; the reasoning is in targets/alternate.py.
CLOCK_ERROR = 0.0005

# The file compares many shares. Each gets so many standard deviations that all of them together cry wolf as seldom as
# one comparison with three (0.27 %) would: about 4.3.
COMPARISONS = 3 * 3 * 5 * 6  # rounds x works x ways x interpreters
SIGMAS = statistics.NormalDist().inv_cdf(1 - 0.0027 / 2 / COMPARISONS)

# Turns of the leaf's loop: about 0.3, 1 and 10 us.
WORKS = {"leaf-0.3us": 5, "leaf-1us": 20, "leaf-10us": 250}


@pytest.fixture(params=WORKS.values(), ids=WORKS.keys())
def work(request):
    return request.param


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
        return self.rounds.get(stack[len(self.static) - 1].line)


class Sampled:
    """Recordings of alternate.py, with what the target measured meanwhile."""

    def __init__(self, said):
        self.alternation = Alternation(said)
        self.stacks = collections.Counter()  # the time that each was seen for, in ns
        self.markers = collections.Counter()
        self.weight = flametap.Weight()
        self.stats = collections.Counter()
        self.spent = [0] * 6

    def add(self, recording, stats, before, after):
        stacks, samples = flametap.stacks_of(recording), recording["samples"]
        for number, weight_ns in zip(samples["stack"], samples["weight_ns"]):
            is_marker = stacks[number][0].name.startswith("(")
            (self.markers if is_marker else self.stacks)[stacks[number]] += weight_ns
        self.weight.add(recording)
        for name in ("samples", "missed_ticks", "torn", "unreadable", "no_frames", "truncated"):
            self.stats[name] += stats[name]
        self.stats.update(stats["steps"])
        self.spent = [spent + now - then for spent, now, then in zip(self.spent, after[1:7], before[1:7])]

    @staticmethod
    def shares(times):
        return dict(zip(Alternation.ROUNDS, (time / sum(times) for time in times)))

    def assert_possible(self):
        for stack, time_ns in self.stacks.items():
            reason = self.alternation.why_impossible(stack)
            shown = ";".join("%s:%d" % (frame.name, frame.line) for frame in stack)
            assert reason is None, "%s (%.1f ms): %s" % (reason, time_ns / 1e6, shown)

    def assert_nothing_lost(self):
        assert self.stats["unreadable"] == 0 and self.stats["torn"] == 0 and self.stats["truncated"] == 0
        assert self.stats["no_frames"] == 0
        assert not self.markers

    def assert_shares(self):
        seen = dict.fromkeys(Alternation.ROUNDS, 0)
        for stack, time_ns in self.stacks.items():
            if self.alternation.round_of(stack):
                seen[self.alternation.round_of(stack)] += time_ns
        sampled = self.shares(seen.values())
        wall, cpu = self.shares(self.spent[:3]), self.shares(self.spent[3:])
        print(dict(self.stats))
        for name, true in wall.items():
            sigma = self.weight.sigma(true)
            error = CLOCK_ERROR + abs(true - cpu[name])
            print("%s: sampled %.4f, true %.4f +- %.4f, sigma %.4f" % (name, sampled[name], true, error, sigma))
            assert abs(sampled[name] - true) <= SIGMAS * sigma + error, name


@pytest.fixture
def sample(start, counters, tmp_path):
    """Runs alternate.py and records it; gives a Sampled."""

    def record(interpreter, work, *args, cpus=None, wrap=()):
        target = start(interpreter, "alternate.py", counters.path, work, cpus=cpus)
        said = target.says()
        counters.wait_for_progress()
        sampled = Sampled(said)
        # A loaded machine misses many ticks: then it takes longer to come to samples that say as much.
        while sampled.weight.equal_samples < SAMPLES:
            missing = max(500, SAMPLES - sampled.weight.equal_samples)
            before = counters.read()
            path, stats = tmp_path / "recording.json", tmp_path / "recording.stats"
            done = flametap.run("record", "-p", target.pid, "-r", RATE_HZ, "-d", missing / RATE_HZ, "-f", "json",
                                "-o", path, "--stats", stats, *args, wrap=wrap)
            after = counters.read()
            assert done.code == flametap.DONE, done
            said_of_it = json.loads(stats.read_text())
            assert said_of_it["samples"] > 0
            sampled.add(json.loads(path.read_text()), said_of_it, before, after)
        return sampled

    return record


def test_free_to_move(frame_kind, work, sample):
    sampled = sample(frame_kind, work)
    sampled.assert_possible()
    sampled.assert_nothing_lost()
    sampled.assert_shares()


def test_riding_along(frame_kind, work, sample):
    sampled = sample(frame_kind, work, "--no-interrupt")
    assert sampled.stats["interrupted"] == 0
    sampled.assert_possible()
    sampled.assert_nothing_lost()
    sampled.assert_shares()


def test_first_reading_from_another_cpu(frame_kind, work, sample, two_cpus):
    ours, theirs = two_cpus
    sampled = sample(frame_kind, work, "--cpu", ours, cpus={theirs})
    assert sampled.stats["interrupted"] > 0
    sampled.assert_possible()
    sampled.assert_nothing_lost()
    sampled.assert_shares()


def test_its_cpu_is_closed_to_us(frame_kind, work, sample, two_cpus):
    ours, theirs = two_cpus
    sampled = sample(frame_kind, work, cpus={theirs}, wrap=["taskset", "-c", ours])
    assert sampled.stats["ride_along"] == 0
    sampled.assert_possible()
    sampled.assert_nothing_lost()
    sampled.assert_shares()


def test_its_cpu_is_closed_to_us_and_to_interrupts(frame_kind, work, sample, two_cpus):
    ours, theirs = two_cpus
    sampled = sample(frame_kind, work, "--no-interrupt", cpus={theirs}, wrap=["taskset", "-c", ours])
    assert sampled.stats["paused"] > 0
    assert sampled.stats["ride_along"] + sampled.stats["interrupted"] == 0
    sampled.assert_possible()
    sampled.assert_nothing_lost()
    sampled.assert_shares()


def test_neither_riding_nor_pausing(frame_kind, work, sample, two_cpus):
    """What keeps moving is then counted as torn and never mixed into the stacks."""
    ours, theirs = two_cpus
    sampled = sample(frame_kind, work, "--no-interrupt", "--no-pause", cpus={theirs}, wrap=["taskset", "-c", ours])
    assert sampled.stats["paused"] + sampled.stats["ride_along"] + sampled.stats["interrupted"] == 0
    sampled.assert_possible()

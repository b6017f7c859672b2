"""Of calls of every kind, by C and by generators too, no stack that the program has not seen itself: see
targets/every_stack.py."""

import collections
import os
from pathlib import Path

import pytest

import flametap
from native_stacks import Recording
from pythons import FULL

RATE_HZ = 10000
SECONDS = 0.5 if FULL else 0.3

# A program that is sampled meets about a hundred stacks; one that waits for its CPU meets few in that time.
ENOUGH_STACKS = 10
MOST_RECORDINGS = 100


class Repeating:
    """every_stack.py, with the stacks that it can have."""

    def __init__(self, target):
        self.target = target
        # Whoever called was the innermost one before. (3.9 cuts its own stack off while it throws something into what
        # awaits: there a stack may begin with any of that.)
        self.possible = {tuple(stack[:depth]) for stack in target.says()["stacks"] for depth in range(1, len(stack) + 1)}

    def assert_possible(self, stacks):
        """`stacks`: {names, outermost first: count}."""
        impossible = {";".join(stack): count for stack, count in stacks.items() if stack not in self.possible}
        assert not impossible, "%s of %d samples" % (impossible, sum(stacks.values()))


@pytest.fixture
def repeating(start):
    return lambda interpreter, **options: Repeating(start(interpreter, "every_stack.py", **options))


def names_in(recording):
    stacks = collections.Counter()
    for stack, count in recording.folded.stacks.items():
        stacks[tuple(frame.name for frame in stack)] += count
    return stacks


def record(folder, running, *options, **how):
    return names_in(flametap.record(folder, "-p", running.target.pid, "-r", RATE_HZ, "-d", SECONDS, "--mode", "wall", *options, **how))


def assert_all_possible(running, record_some):
    """Of recordings until there are enough stacks."""
    stacks = collections.Counter()
    for _ in range(MOST_RECORDINGS):
        stacks += record_some()
        running.assert_possible(stacks)
        if len(stacks) > ENOUGH_STACKS:
            return
    raise AssertionError("hardly any stack was seen: %s" % stacks)


def test_free_to_move(some_python3, repeating, tmp_path):
    running = repeating(some_python3)
    assert_all_possible(running, lambda: record(tmp_path, running))


@pytest.mark.parametrize("ways", [[], ["--no-interrupt"]], ids=["interrupted", "paused"])
def test_from_another_cpu(minor_python3, repeating, tmp_path, two_cpus, ways):
    ours, theirs = two_cpus
    running = repeating(minor_python3, cpus={theirs})
    assert_all_possible(running, lambda: record(tmp_path, running, *ways, wrap=["taskset", "-c", ours]))


def test_never_standing_still(minor_python3, repeating, tmp_path, two_cpus):
    """What moves so fast is torn then, most of it or all."""
    ours, theirs = two_cpus
    running = repeating(minor_python3, cpus={theirs})
    running.assert_possible(record(tmp_path, running, "--no-interrupt", "--no-pause", wrap=["taskset", "-c", ours]))


@pytest.mark.parametrize("ways, outcome", [([], "paused"), (["--no-pause"], "torn")], ids=["paused", "torn"])
def test_never_of_two_moments(minor_python3, repeating, tmp_path, ways, outcome):
    """Riding along is no proof by itself: we may be put off the CPU, and the target run, in the middle of a reading."""
    running = repeating(minor_python3)
    library = Path(flametap.binary()).with_name("broken_reads.so")
    recording = flametap.record(tmp_path, "-p", running.target.pid, "-r", 1000, "-d", SECONDS, "--mode", "wall", "--no-interrupt", *ways,
                                env=dict(os.environ, LD_PRELOAD=str(library)))
    running.assert_possible(names_in(recording))
    stats = recording.stats
    assert stats["samples"] > 0
    assert dict(stats["steps"], torn=stats["torn"])[outcome] == stats["samples"], stats


def test_between_native_frames(native_python3, repeating, tmp_path):
    running = repeating(native_python3)

    def record_native():
        stacks = collections.Counter()
        recording = Recording(tmp_path, "-p", running.target.pid, "-r", RATE_HZ, "-d", SECONDS, "--native")
        for sample in recording.samples():
            stacks[tuple(frame.name for frame in sample.stack if frame.kind == "python")] += sample.ticks
        return stacks

    assert_all_possible(running, record_native)

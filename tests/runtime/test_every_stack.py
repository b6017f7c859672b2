"""Of calls of every kind, by C and by generators too, no stack that the program has not seen itself: see
targets/every_stack.py."""

import collections

import pytest

import flametap
from native_stacks import Recording

RATE_HZ = 10000
SECONDS = 0.5


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
    return flametap.record(folder, "-p", running.target.pid, "-r", RATE_HZ, "-d", SECONDS, *options, **how)


def test_free_to_move(some_python3, repeating, tmp_path):
    running = repeating(some_python3)
    stacks = names_in(record(tmp_path, running))
    running.assert_possible(stacks)
    assert len(stacks) > 10, stacks


@pytest.mark.parametrize("ways", [[], ["--no-interrupt"]], ids=["interrupted", "paused"])
def test_from_another_cpu(minor_python3, repeating, tmp_path, two_cpus, ways):
    ours, theirs = two_cpus
    running = repeating(minor_python3, cpus={theirs})
    stacks = names_in(record(tmp_path, running, *ways, wrap=["taskset", "-c", ours]))
    running.assert_possible(stacks)
    assert len(stacks) > 10, stacks


def test_never_standing_still(minor_python3, repeating, tmp_path, two_cpus):
    """What moves so fast is torn then, most of it or all."""
    ours, theirs = two_cpus
    running = repeating(minor_python3, cpus={theirs})
    running.assert_possible(names_in(record(tmp_path, running, "--no-interrupt", "--no-pause", wrap=["taskset", "-c", ours])))


def test_between_native_frames(some_native_python3, repeating, tmp_path):
    running = repeating(some_native_python3)
    recording = Recording(tmp_path, "-p", running.target.pid, "-r", RATE_HZ, "-d", SECONDS, "--native")
    stacks = collections.Counter()
    for sample in recording.samples():
        stacks[tuple(frame.name for frame in sample.stack if frame.kind == "python")] += sample.ticks
    running.assert_possible(stacks)
    assert len(stacks) > 10, stacks

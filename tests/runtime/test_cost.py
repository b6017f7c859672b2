"""What a sample costs, counted, not timed: system calls and allocations of the real binary with real interpreters.

Every tick is held against the figure of what happened in it: whether the thread ran, or was ready and waited for a CPU.
A tick costs more for a reason: a new stack, a thread that moved to another CPU, a trial of free readings. Such reasons
show in the calls themselves, and each may only be that of a part of the ticks. How late we were has no part in it: a
late tick makes the same calls, only without a sleep before it. docs/testing.md says when the figures may be changed.
"""

import collections
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import tick_log

# One letter per call, in order, see tick_log.py. Of one sample of one thread: what the thread does, the options, how it
# is then sampled, and what that takes.
#   calls   the stack and all that confirms it, in one interrupt of its CPU; at every fourth tick, its account
#   rides   the same in one call; whether the thread was on our CPU and had no turn meanwhile
#   works   the same; whether its account has moved, and if so (one call more), whether it still runs
#   sleeps  whether it ran since the last sample; whether the list of threads is still the same
Way = collections.namedtuple("Way", "pace options step usual")
WAYS = {
    "calls": Way("calls", [], "interrupted", "bp?"),
    "rides": Way("calls", ["--no-interrupt"], "ride_along", "pvpp"),
    "works": Way("works", [], "free_running", "vp"),
    "sleeps": Way("sleeps", [], "free_running", "pv"),
}

# A thread that does not run where it was: where it is, its account, an interrupt there; it waits for a CPU, so its stack
# is read as it stands; where it is, and its account again.
WAITS = "bppbvpp"
ONLY_WAITS = re.compile("(?:%s)+" % WAITS)

# Why a stretch may have other calls, and of which share of the stretches each reason may be one at the most. The first
# that fits is it.
REASONS = (
    # While it waits for a CPU, it is read again together with what is not read as a rule, until that is planned anew.
    ("waits in a new stack", ".*bppbvm?v+pp.*", 1 / 2),
    # What is new is learned, twice a second it is written down, and a list of samples grows.
    ("allocates", ".*m.*", 1 / 20),
    ("moves to another CPU", ".*a.*", 1 / 2),
    # Of a thread that does not hold still, after every 16th sample at the most; 32 readings, and after 8 whether it waits.
    ("is tried freely", "(?:{usual}|{waits})p?(?:v{{1,8}}b?){{0,4}}", 1 / 8),
    # A frame was half made, the thread got its CPU just then, or what it met had to be read, too.
    ("is looked at again", "(?:p|b|v|{usual}|{waits})+", 1 / 10),
    ("unknown", ".*", 0),
)
SOME = 40  # stretches at the beginning that need not be as most are

ENOUGH = 20  # that are as usual
MANY = 300  # stretches, so that shares of them mean something
HOPELESS = 20000  # stretches in which the thread ran, when the usual ones will not come any more

# Twice a second what was sampled is written to the journal: one write, with SIGPIPE held back around it, and the
# columns of a chunk.
CHECKPOINT_CALLS = {tick_log.WRITE: 1, tick_log.SIGNAL_MASK: 2, tick_log.PENDING_SIGNALS: 1, tick_log.TAKE_SIGNAL: 1}
CHECKPOINT_ALLOCATIONS = 40


def record(folder, *args, until):
    stats, stretches = tick_log.record(folder, *args, "-r", 1000, until=until)
    if stretches is None:
        pytest.skip("this kernel does not hand system calls to the program itself (syscall user dispatch, Linux 5.11)")
    return stats, stretches


class Figures:
    """What the ticks of a way of sampling cost, and the reasons why some cost more."""

    def __init__(self, way):
        self.usual = re.compile(way.usual)
        # Until trials have shown that a thread that works holds still, it is sampled like one that calls.
        self.tick = re.compile("|".join([WAITS, *(["vppb?", "vp", "bp?"] if way.pace == "works" else [way.usual])]))
        self.as_it_should_be = re.compile("(?:%s)+" % self.tick.pattern)  # without a sleep if a tick was late
        becomes_calm = "b" if way.pace == "works" else way.usual
        self.reasons = [(name, re.compile(pattern.format(usual=becomes_calm, waits=WAITS)), most)
                        for name, pattern, most in REASONS]

    def count_usual(self, stretches):
        return sum(1 for stretch in stretches if self.usual.fullmatch(stretch))

    def are_seen(self, stretches):
        return len(stretches) >= MANY and self.count_usual(stretches) >= ENOUGH

    def may_end(self, stretches):
        # Of a thread that waits for a CPU nothing is found out.
        ran = sum(1 for stretch in stretches if not ONLY_WAITS.fullmatch(stretch))
        return self.are_seen(stretches) or ran > HOPELESS

    def reason_of(self, stretch):
        return next(name for name, pattern, _ in self.reasons if pattern.fullmatch(stretch))

    def check(self, stretches, samples):
        assert self.are_seen(stretches), collections.Counter(stretches).most_common(5)
        unusual = [stretch for stretch in stretches if not self.as_it_should_be.fullmatch(stretch)]
        reasons = collections.Counter(map(self.reason_of, unusual))
        for name, _, most in self.reasons:
            assert reasons[name] <= SOME + most * len(stretches), (name, collections.Counter(unusual).most_common(20))
        # Ticks without a sleep between them look like one that does all of it twice.
        ticks = sum(len(self.tick.findall(stretch)) for stretch in stretches if stretch not in unusual)
        assert ticks <= SOME + 1.1 * samples, collections.Counter(stretches).most_common(20)


def check(folder, way, target):
    figures = Figures(way)
    stats, stretches = record(folder, "-p", target.pid, *way.options, until=figures.may_end)
    figures.check(stretches, stats["ticks"])
    assert stats["steps"][way.step] >= ENOUGH, stats["steps"]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_system_calls_and_allocations_of_a_sample(some_python, way, start, tmp_path):
    target = start(some_python, "paces.py", way.pace)
    target.says()
    check(tmp_path, way, target)


def test_a_deep_stack_takes_as_many(frame_kind, start, tmp_path):
    target = start(frame_kind, "paces.py", "calls", 2000)
    target.says()
    check(tmp_path, WAYS["calls"], target)


def test_a_thread_is_found_calm_by_one_of_several_samplers(usual_python, start, tmp_path):
    # They take the CPU from one another, also in the midst of a reading, which says nothing of a thread.
    targets = [start(usual_python, "paces.py", "works") for _ in range(6)]
    folders = [tmp_path / str(target.pid) for target in targets]
    for target, folder in zip(targets, folders):
        target.says()
        folder.mkdir()
    with ThreadPoolExecutor(len(targets)) as at_once:
        list(at_once.map(check, folders, [WAYS["works"]] * len(targets), targets))


def test_two_processes_take_twice_as_much(usual_python, start, tmp_path):
    targets = [start(usual_python, "paces.py", "sleeps") for _ in range(2)]
    for target in targets:
        target.says()
        target.wait_until_main_sleeps()
    one = WAYS["sleeps"]
    figures = Figures(one._replace(usual=2 * one.usual))
    pids = [word for target in targets for word in ("-p", target.pid)]
    stats, stretches = record(tmp_path, *pids, until=figures.may_end)
    figures.check(stretches, stats["ticks"])


def is_checkpoint(stretch):
    return tick_log.WRITE in stretch


def checkpoints(stretches):
    return [stretch for stretch in stretches if is_checkpoint(stretch)]


def test_a_known_stack_is_recorded_without_allocation(usual_python, start, tmp_path):
    target = start(usual_python, "paces.py", "sleeps")
    target.says()
    target.wait_until_main_sleeps()

    def settled(stretches):
        """From the first checkpoint on, at which the thread has got its name."""
        return stretches[next((number for number, each in enumerate(stretches) if is_checkpoint(each)), len(stretches)):]

    def are_enough(stretches):
        return len(checkpoints(stretches)) >= 3 and len(stretches) > MANY

    _, stretches = record(tmp_path, "-p", target.pid, until=lambda found: are_enough(settled(found)))
    assert are_enough(settled(stretches))
    assert not [stretch for stretch in settled(stretches) if tick_log.ALLOCATION in stretch and not is_checkpoint(stretch)]


def test_a_checkpoint_is_one_write(usual_python, start, tmp_path):
    target = start(usual_python, "paces.py", "works")
    target.says()

    def settled(stretches):
        return checkpoints(stretches)[2:]  # the first has all the tables, and threads get their names

    def are_enough(stretches):
        return [checkpoint.count(tick_log.WRITE) for checkpoint in settled(stretches)].count(1) >= 3

    _, stretches = record(tmp_path, "-p", target.pid, until=lambda found: are_enough(found) or len(settled(found)) > 20)
    assert are_enough(stretches), checkpoints(stretches)
    for checkpoint in settled(stretches):
        # Where the disk held one up until the next was due, there was no sleep between them.
        writes = checkpoint.count(tick_log.WRITE)
        calls = {letter: checkpoint.count(letter) for letter in CHECKPOINT_CALLS}
        assert calls == {letter: writes * count for letter, count in CHECKPOINT_CALLS.items()}
    assert min(checkpoint.count(tick_log.ALLOCATION) for checkpoint in settled(stretches)) <= CHECKPOINT_ALLOCATIONS

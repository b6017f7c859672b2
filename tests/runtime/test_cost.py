"""What a sample costs, counted, not timed: system calls and allocations of the real binary with real interpreters.

A tick may cost more for a reason: a new stack, a thread that moved to another CPU, a trial of free readings. So the
figures are those of the usual tick. docs/testing.md says when they may be changed.
"""

import collections

import pytest

import tick_log

# Of one sample of one thread: what the thread does, the options, how it is then sampled, and what that takes.
#   calls   the stack and all that confirms it, in one interrupt of its CPU
#   rides   the same in one call; whether the thread was on our CPU meanwhile
#   works   the same; whether its account has moved, and if so, whether it still runs
#   sleeps  whether it ran since the last sample; whether the list of threads is still the same
USUAL = {
    "calls": ("calls", [], "interrupted", [{"bpf": 1}]),
    "rides": ("calls", ["--no-interrupt"], "ride_along", [{"process_vm_readv": 1, "pread64": 1}]),
    "works": ("works", [], "free_running", [{"process_vm_readv": 1, "pread64": 1}, {"process_vm_readv": 1, "pread64": 2}]),
    "sleeps": ("sleeps", [], "free_running", [{"process_vm_readv": 1, "pread64": 1}]),
}

# Twice a second what was sampled is written to the journal: one write, with SIGPIPE held back around it, and the
# columns of a chunk.
CHECKPOINT_CALLS = {tick_log.WRITE: 1, "rt_sigprocmask": 2, "rt_sigpending": 1, "rt_sigtimedwait": 1}
CHECKPOINT_ALLOCATIONS = 40
ENOUGH = 20  # samples


def ticks_of(folder, seconds, *targets, options=()):
    pids = [word for target in targets for word in ("-p", target.pid)]
    recording, ticks = tick_log.record(folder, *pids, "-d", seconds, "-r", 1000, *options)
    if ticks is None:
        pytest.skip("this kernel does not hand system calls to the program itself (syscall user dispatch, Linux 5.11)")
    return recording.stats, ticks


def ticks_of_step(folder, step, target, options):
    """All ticks of up to three recordings: on a busy machine it may take long until a thread is known to be calm."""
    samples, ticks = 0, []
    for seconds in (0.3, 1.2, 4.8):
        stats, more = ticks_of(folder, seconds, target, options=options)
        samples, ticks = samples + stats["steps"][step], ticks + more
        if samples > ENOUGH:
            break
    return samples, ticks


def assert_usual(ticks, samples, expected):
    """Most of the samples take one of these."""
    counts = collections.Counter(tuple(sorted(tick.items())) for tick in ticks)
    assert samples > ENOUGH, "hardly a sample was taken so"
    assert sum(counts[tuple(sorted(each.items()))] for each in expected) > samples / 2, counts.most_common(3)


@pytest.mark.parametrize("way", USUAL)
def test_system_calls_and_allocations_of_a_sample(python, way, start, tmp_path):
    pace, options, step, calls = USUAL[way]
    target = start(python, "paces.py", pace)
    target.says()
    samples, ticks = ticks_of_step(tmp_path, step, target, options)
    assert_usual(ticks, samples, calls)


def test_a_deep_stack_takes_as_many(frame_kind, start, tmp_path):
    pace, options, step, calls = USUAL["calls"]
    target = start(frame_kind, "paces.py", pace, 2000)
    target.says()
    samples, ticks = ticks_of_step(tmp_path, step, target, options)
    assert_usual(ticks, samples, calls)


def test_two_processes_take_twice_as_much(usual_python, start, tmp_path):
    targets = [start(usual_python, "paces.py", "sleeps") for _ in range(2)]
    for target in targets:
        target.says()
    _, ticks = ticks_of(tmp_path, 0.3, *targets)
    assert_usual(ticks, len(ticks), [{name: 2 * count for name, count in each.items()} for each in USUAL["sleeps"][3]])


def test_a_known_stack_is_recorded_without_allocation(usual_python, start, tmp_path):
    target = start(usual_python, "paces.py", "sleeps")
    target.says()
    target.wait_until_main_sleeps()
    _, ticks = ticks_of(tmp_path, 0.9, target)
    settled = ticks[len(ticks) // 10:]
    at_checkpoints = [tick for tick in settled if tick[tick_log.WRITE]]
    assert at_checkpoints
    assert not [tick for tick in settled if tick[tick_log.ALLOCATION] and not tick[tick_log.WRITE]]


def test_a_checkpoint_is_one_write(usual_python, start, tmp_path):
    target = start(usual_python, "paces.py", "works")
    target.says()
    _, ticks = ticks_of(tmp_path, 2.2, target)
    checkpoints = [tick for tick in ticks if tick[tick_log.WRITE]]
    assert len(checkpoints) > 2
    settled = checkpoints[2:]  # the first has all the tables, and threads get their names
    for checkpoint in settled:
        assert {name: checkpoint[name] for name in CHECKPOINT_CALLS} == CHECKPOINT_CALLS
    assert min(checkpoint[tick_log.ALLOCATION] for checkpoint in settled) <= CHECKPOINT_ALLOCATIONS

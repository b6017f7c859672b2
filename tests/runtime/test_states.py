"""Every sample knows what its thread did: see targets/states.py, whose threads are each in one state for good."""

import collections
import json

import pytest

import flametap
from chance import most_by_chance
from pythons import FULL
from target import FUTEX

ON_CPU, HOLDS_GIL, WAITS_FOR_GIL, IN_GC, READY = 1, 2, 4, 8, 16
RIGHT = 0.99

# A thousand samples of each thread. These targets take all CPUs that there are: the sooner it is over, the better.
FOR_A_THOUSAND = ["-r", 1000, "-d", 1] if FULL else ["-r", 4000, "-d", 0.25]


def without_ready(state):
    """Whether the machine has a CPU for it is not the thread's own state."""
    assert state & ON_CPU or not state & READY, state
    return state & ~READY


@pytest.fixture
def states(start, counters, tmp_path):
    """Records states.py; gives {name of its thread: {state: ticks}}."""

    def record(interpreter, *words):
        target = start(interpreter, "states.py", counters.path, *words)
        kernel_ids = target.says()["kernel_ids"]
        names = {tid: name for name, tid in kernel_ids.items()}
        counters.wait_for_progress()
        if "wants" in kernel_ids:
            target.wait_until_in_system_call(kernel_ids["wants"], FUTEX)
        done = flametap.run("record", "-p", target.pid, *FOR_A_THOUSAND, "--mode", "wall", "-o", tmp_path / "all.json")
        assert done.code == flametap.DONE, done
        seen = collections.defaultdict(collections.Counter)
        for sample in flametap.samples_of(json.loads((tmp_path / "all.json").read_text())):
            seen[names[sample.thread["id"]]][without_ready(sample.state)] += sample.ticks
        return seen

    return record


def assert_right(ticks, is_right):
    """On a busy machine there may be few samples, of which a single one is more than 1 - RIGHT."""
    wrong = sum(count for state, count in ticks.items() if not is_right(state))
    assert wrong <= most_by_chance(sum(ticks.values()), 1 - RIGHT), ticks


def test_each_state_is_told_from_the_others(minor_python, states):
    seen = states(minor_python)
    assert set(seen) == {"main", "sleeps", "sums", "wants"}
    assert_right(seen["main"], lambda state: state == ON_CPU | HOLDS_GIL)
    assert_right(seen["sleeps"], lambda state: state == 0)
    assert_right(seen["sums"], lambda state: state == ON_CPU)
    assert_right(seen["wants"], lambda state: state == WAITS_FOR_GIL)


def test_collecting_garbage_is_seen(minor_python, states):
    seen = states(minor_python, "gc")
    assert_right(seen["main"], lambda state: state & IN_GC and state & HOLDS_GIL)


def test_interpreters_with_a_gil_of_their_own(own_gil_python, start, tmp_path):
    target = start(own_gil_python, "own_gils.py")
    names = {tid: name for name, tid in target.says()["kernel_ids"].items()}
    target.wait_until_threads_compute(list(names))
    out = tmp_path / "all.json"
    done = flametap.run("record", "-p", target.pid, *FOR_A_THOUSAND, "--mode", "wall", "-o", out)
    assert done.code == flametap.DONE, done
    seen = collections.defaultdict(collections.Counter)
    for sample in flametap.samples_of(json.loads(out.read_text())):
        if sample.ticks:
            seen[names.get(sample.thread["id"])][without_ready(sample.state)] += sample.ticks
    for name in ("first", "second"):
        # Each of the two threads also has a state in the main interpreter, which does nothing meanwhile.
        busy = sum(count for state, count in seen[name].items() if state == ON_CPU | HOLDS_GIL)
        half = sum(seen[name].values()) // 2
        assert half - busy <= most_by_chance(half, 1 - RIGHT), seen
        assert set(seen[name]) <= {0, HOLDS_GIL, ON_CPU | HOLDS_GIL}, seen


ASLEEP = """
import sys, threading, time
def spin():
    while True: pass
thread = threading.Thread(target=spin)
thread.daemon = True
thread.start()
def asleep():
    time.sleep(1000)
print("1"); sys.stdout.flush()
asleep()
"""


def test_sleeping_is_not_waiting_for_the_gil(frame_kind, start, tmp_path):
    script = tmp_path / "asleep.py"
    script.write_text(ASLEEP)
    target = start(frame_kind, script)
    target.says()
    target.wait_until_main_sleeps()
    out = tmp_path / "all.json"
    done = flametap.run("record", "-p", target.pid, *FOR_A_THOUSAND, "--mode", "wall", "-o", out)
    assert done.code == flametap.DONE, done
    samples = flametap.samples_of(json.loads(out.read_text()))
    assert {sample.state for sample in samples if sample.thread["id"] == target.pid and sample.ticks} == {0}

"""Which threads are in a profile of wall time, of CPU time and of the GIL."""

import collections
import json
import math
from pathlib import Path

import pytest

import flametap
from chance import most_by_chance
from target import READ, TARGETS, wait_until

SECONDS = 0.75  # of programs that take all CPUs: many samples in a short time
ENOUGH_TICKS = 1000


RIGHT = 0.99  # of the samples: a moment between two lines of the target is not what it says that it does


def ticks_without(recording):
    """{function of threads.py: at how many ticks there was no thread in it in the profile}"""
    stacks, counts = flametap.stacks_of(recording), collections.Counter()
    for stack, ticks in zip(recording["samples"]["stack"], recording["samples"]["ticks"]):
        for name in {frame.name for frame in stacks[stack]} & {"spin", "burn", "wait"}:
            counts[name] += ticks
    return {name: recording["recording"]["quality"]["ticks"] - counts[name] for name in ("spin", "burn", "wait")}


def test_a_mode_has_the_threads_that_it_is_for(frame_kind, start, tmp_path):
    target = start(frame_kind, "threads.py")
    tids = target.says()
    target.wait_until_threads_compute([tids["spin"], tids["burn"]])
    target.wait_until_in_system_call(tids["wait"], READ)
    ftap = tmp_path / "recording.ftap"
    done = flametap.run("record", "-p", target.pid, "-d", SECONDS, "-r", 2000, "-o", ftap)
    assert done.code == flametap.DONE, done
    found = {}
    for mode in ("wall", "cpu", "ready", "gil"):
        done = flametap.run("report", ftap, "--mode", mode, "-f", "json", "-o", "-")
        assert done.code == flametap.DONE, done
        found[mode] = ticks_without(json.loads(done.out))
    ticks = json.loads(done.out)["recording"]["quality"]["ticks"]
    # A busy machine has not always a CPU for each of them.
    found["cpu"] = {name: without - (ticks - found["ready"][name]) for name, without in found["cpu"].items()}
    few = most_by_chance(ticks, 1 - RIGHT)
    # Python 2 gives the GIL away and takes it back all the time, whether anybody wants it or not.
    few_with_gil = few if frame_kind.minor >= (3,) else most_by_chance(ticks, 0.1)
    for mode, there in (("wall", {"spin": few, "burn": few, "wait": few}), ("cpu", {"spin": few, "burn": few}),
                        ("gil", {"spin": few_with_gil})):
        for name, without in found[mode].items():
            assert 0 <= without <= there[name] if name in there else without == ticks, (mode, found[mode], ticks)


def test_threads_that_come_and_go(frame_kind, start, tmp_path):
    """Their thread states are freed and used again while we read: no stack may be made of two threads'."""
    target = start(frame_kind, "threads.py", "come-and-go")
    target.said = target.says()
    lasting = {target.pid, *target.said.values()}
    out = tmp_path / "all.json"
    # Each function has its own place: below it only the thread's own beginning, or the main program.
    roles = {"spin", "burn", "wait", "visitor", "host", "main"}

    def is_enough(recording):
        return recording["recording"]["quality"]["ticks"] > ENOUGH_TICKS and roles <= flametap.functions_of(recording)

    flametap.record_until(out, is_enough, "each function", "-p", target.pid, "-r", 4000, "--mode", "wall")
    recording = json.loads(out.read_text())
    quality, stacks = recording["recording"]["quality"], flametap.stacks_of(recording)
    seen = collections.Counter()
    for number, count in zip(recording["samples"]["stack"], recording["samples"]["ticks"]):
        found = [frame.name for frame in stacks[number] if frame.file.endswith("threads.py") and frame.name in roles]
        assert len(found) <= 1, stacks[number]
        seen.update(dict.fromkeys(found, count))
    assert set(seen) == roles
    assert quality["unreadable"] == 0
    assert_at_every_tick(recording, lasting)


def assert_at_every_tick(recording, threads):
    """These were there all the time: however the list of threads changes while it is read, none of them is left out."""
    ticks = collections.Counter()
    for sample in flametap.samples_of(recording):
        ticks[sample.thread["id"]] += sample.ticks
    assert {thread: ticks[thread] for thread in threads} == dict.fromkeys(threads, recording["recording"]["quality"]["ticks"])


def test_the_oldest_is_seen_while_others_come_and_go_at_once(frame_kind, start, tmp_path):
    """The list of threads is read while it changes, thousands of times: what is behind the change must not be lost.

    The main thread is the last of it. Of the others, even one that lives long may have to wait for its first frame.
    """
    target = start(frame_kind, "relay.py", 0, 1000000, "three")
    wait_until(lambda: len(list(Path("/proc/%d/task" % target.pid).iterdir())) > 1, "it has begun to start threads")
    out = tmp_path / "all.json"
    done = flametap.run("record", "-p", target.pid, "-d", SECONDS, "-r", 10000, "--mode", "wall", "-o", out)
    assert done.code == flametap.DONE, done
    assert_at_every_tick(json.loads(out.read_text()), {target.pid})


def test_short_threads_have_their_share(frame_kind, tmp_path):
    """Each of them begins and ends between two ticks that are in time: without a sample at the first tick that it meets, none
    would have one. Ticks that come late come when the CPUs are free, which is less often while a thread is at work."""
    out = tmp_path / "all.json"
    command = [*frame_kind.command, TARGETS / "relay.py", 0.004, 300]
    done = flametap.run("record", "-r", 200, "-o", out, "--", *command, env=frame_kind.environment())
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    ticks = sum(sample.ticks for sample in flametap.samples_of(recording) if sample.function.startswith("f_"))
    quality, due = recording["recording"]["quality"], float(done.out) * 200
    # Those that were missed may all have been due in a thread. Each of the others was in one or in none, which chance decided.
    by_chance = 6.5 * math.sqrt(quality["ticks"]) / 2
    assert 0.8 * due - quality["missed_ticks"] - by_chance < ticks <= quality["ticks"], (ticks, due, quality)

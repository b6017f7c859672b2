"""Which threads are in a profile of wall time, of CPU time and of the GIL."""

import collections
import json
from pathlib import Path

import pytest

import flametap
from target import TARGETS, wait_until

SECONDS = 0.75  # of programs that take all CPUs: many samples in a short time


def shares_of_ticks(recording):
    """{function of threads.py: at what share of the ticks a thread in it was in the profile}"""
    stacks, counts = flametap.stacks_of(recording), collections.Counter()
    for stack, ticks in zip(recording["samples"]["stack"], recording["samples"]["ticks"]):
        for name in {frame.name for frame in stacks[stack]} & {"spin", "burn", "wait"}:
            counts[name] += ticks
    return {name: counts[name] / recording["recording"]["quality"]["ticks"] for name in ("spin", "burn", "wait")}


def test_a_mode_has_the_threads_that_it_is_for(frame_kind, start, tmp_path):
    target = start(frame_kind, "threads.py")
    target.says()
    ftap = tmp_path / "recording.ftap"
    done = flametap.run("record", "-p", target.pid, "-d", SECONDS, "-r", 2000, "-o", ftap)
    assert done.code == flametap.DONE, done
    found = {}
    for mode in ("wall", "cpu", "gil"):
        done = flametap.run("report", ftap, "--mode", mode, "-f", "json", "-o", "-")
        assert done.code == flametap.DONE, done
        found[mode] = shares_of_ticks(json.loads(done.out))
    for name in ("spin", "burn", "wait"):
        assert found["wall"][name] == pytest.approx(1, abs=0.05), name
    assert found["cpu"]["spin"] > 0.9
    assert found["cpu"]["burn"] > 0.8
    assert found["cpu"]["wait"] == 0
    assert found["gil"]["spin"] > 0.9
    assert found["gil"]["burn"] < 0.05
    assert found["gil"]["wait"] == 0


def test_threads_that_come_and_go(frame_kind, start, tmp_path):
    """Their thread states are freed and used again while we read: no stack may be made of two threads'."""
    target = start(frame_kind, "threads.py", "come-and-go")
    target.said = target.says()
    lasting = {target.pid, *target.said.values()}
    out = tmp_path / "all.json"
    done = flametap.run("record", "-p", target.pid, "-d", SECONDS, "-r", 4000, "--mode", "wall", "-o", out)
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    quality, stacks = recording["recording"]["quality"], flametap.stacks_of(recording)
    # Each function has its own place: below it only the thread's own beginning, or the main program.
    roles = {"spin", "burn", "wait", "visitor", "host", "main"}
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
    would have one. Late ticks come when the CPUs are free, which is seldom while a thread is at work, so they hit less of it."""
    out = tmp_path / "all.json"
    command = [*frame_kind.command, TARGETS / "relay.py", 0.004, 150]
    done = flametap.run("record", "-r", 200, "-o", out, "--", *command, env=frame_kind.environment())
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    ticks = sum(sample.ticks for sample in flametap.samples_of(recording) if sample.function.startswith("f_"))
    quality = recording["recording"]["quality"]
    taken = quality["ticks"] / (quality["ticks"] + quality["missed_ticks"])
    expected = float(done.out) * 200 * taken
    assert 0.5 * expected < ticks < 1.2 * expected

"""Which threads are in a profile of wall time, of CPU time and of the GIL."""

import collections
import json

import pytest

import flametap
from target import FIRST, TARGETS

SECONDS = 1.5


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
    done = flametap.run("record", "-p", target.pid, "-d", SECONDS, "-o", ftap)
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
    target.says()
    recording = flametap.record(tmp_path, "-p", target.pid, "-d", SECONDS, "-r", 2000, "--mode", "wall")
    # Each function has its own place: below it only the thread's own beginning, or the main program.
    roles = {"spin", "burn", "wait", "visitor", "host", "main"}
    seen = collections.Counter()
    for stack, count in recording.folded.stacks.items():
        found = [frame.name for frame in stack if frame.file.endswith("threads.py") and frame.name in roles]
        assert len(found) <= 1, stack
        seen.update(dict.fromkeys(found, count))
    assert set(seen) == roles
    assert recording.stats["unreadable"] == 0


def test_short_threads_have_their_share(frame_kind, tmp_path):
    """A thread that began since the last tick has its sample at this one, or else every thread would lack one."""
    out = tmp_path / "all.json"
    command = [*frame_kind.command, TARGETS / "relay.py", 0.002, 400]
    done = flametap.run("record", "-o", out, "--", *command, env=frame_kind.environment(), wrap=FIRST)
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    ticks = sum(sample.ticks for sample in flametap.samples_of(recording) if sample.function.startswith("f_"))
    quality = recording["recording"]["quality"]
    missed = quality["missed_ticks"] / (quality["ticks"] + quality["missed_ticks"])
    assert ticks == pytest.approx(float(done.out) * 1000 * (1 - missed), rel=0.2)

"""Whatever happens to flametap, the target goes on: it is never left stopped or traced, and loses no signal."""

import json
import os
import random
import signal
import subprocess
import time

import pytest

import flametap
from pythons import FULL
from target import wait_until

KILLS = 100 if FULL else 60
LATEST_KILL_S = 0.1 if FULL else 0.06  # it samples after 10 to 40 ms
SIGNALS = 100000 if FULL else 20000
CHECKPOINTS = 6
REAL_TIME_SIGNAL = signal.SIGRTMIN + 5


@pytest.fixture(params=["interrupting", "riding", "pausing"])
def way(request, two_cpus):
    """(CPUs of the target, options, the command in front of flametap)"""
    ours, theirs = two_cpus
    return {"interrupting": (None, [], []),
            "riding": (None, ["--no-interrupt"], []),
            "pausing": ({theirs}, ["--no-interrupt"], ["taskset", "-c", str(ours)])}[request.param]


def test_killed_at_any_moment(frame_kind, way, start, counters, tmp_path):
    cpus, options, wrap = way
    target = start(frame_kind, "alternate.py", counters.path, 20, cpus=cpus)
    target.says()
    moments = random.Random(KILLS)
    for _ in range(KILLS // 5 if frame_kind.minor != (3, 11) else KILLS):
        process = flametap.start("record", "-p", target.pid, "-r", 5000, "-d", 60, *options,
                                 *flametap.into(tmp_path), wrap=wrap)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=moments.uniform(0.001, LATEST_KILL_S))  # the moment; it must still be running then
        process.kill()
        process.communicate()
        assert target.is_left_alone()
        counters.wait_for_progress()


def size_of(path):
    return path.stat().st_size if path.exists() else 0


@pytest.mark.parametrize("name", ["out.ftap", "out.svg"])
def test_killed_it_leaves_what_it_recorded(usual_python, start, counters, tmp_path, name):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    process = flametap.start("record", "-p", target.pid, "-r", 200, "-o", tmp_path / name)
    journal = tmp_path / (name if name.endswith(".ftap") else name + ".partial.ftap")
    grows_after = []
    for _ in range(CHECKPOINTS):
        size = size_of(journal)
        grows_after.append(time.monotonic())
        wait_until(lambda: size_of(journal) > size, "the journal grows")
    process.kill()
    process.communicate()
    # It has begun to record when the journal grows for the second time, and what came before the last but one is in it.
    seconds = grows_after[-2] - grows_after[2]
    assert seconds > 0
    done = flametap.run("report", journal, "-f", "json", "-o", "-")
    assert done.code == flametap.DONE, done
    assert "flametap: warning:" in done.err
    recording = json.loads(done.out)
    assert recording["recording"]["duration_ns"] >= 1e9 * seconds
    quality = recording["recording"]["quality"]
    assert sum(recording["samples"]["ticks"]) == sum(quality["steps"].values())
    assert quality["ticks"] + quality["missed_ticks"] >= 200 * seconds - 1


def test_target_is_left_alone_after_a_normal_end(frame_kind, way, start, counters, tmp_path):
    cpus, options, wrap = way
    target = start(frame_kind, "alternate.py", counters.path, 20, cpus=cpus)
    target.says()
    flametap.record(tmp_path, "-p", target.pid, "-d", 0.1, *options, wrap=wrap)
    assert target.is_left_alone()
    counters.wait_for_progress()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_is_a_normal_end(usual_python, number, start, counters, tmp_path, two_cpus):
    ours, theirs = two_cpus
    target = start(usual_python, "alternate.py", counters.path, 20, cpus={theirs})
    target.says()
    process = flametap.start_pausing(target, ours, "-d", 600, *flametap.into(tmp_path))
    counters.wait_for_progress(200)
    recording = flametap.recorded(tmp_path, flametap.interrupt(process, number))
    assert recording.folded.total > 0
    assert recording.stats["samples"] > 0
    assert recording.stats["duration_s"] < 600
    assert target.is_left_alone()
    counters.wait_for_progress()


def test_stdout_closed_early(usual_python, start, counters, tmp_path):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    journals = tmp_path / "journals"
    journals.mkdir()
    process = flametap.start("record", "-p", target.pid, "-f", "folded", "-o", "-",
                             env={**os.environ, "TMPDIR": str(journals)})
    process.stdout.close()
    flametap.wait_until_it_holds(process, journals, lambda recording: recording["threads"], "a sample")
    done = flametap.interrupt(process)
    assert done.code == flametap.FAILED, done
    assert "stdout" in done.err or "standard output" in done.err or "pipe" in done.err.lower(), done
    assert target.is_left_alone()
    counters.wait_for_progress()


def test_no_signal_is_lost(frame_kind, start, wakeups, tmp_path, two_cpus):
    """Real-time signals are queued, each counts; a child's end and a timer come on top."""
    ours, theirs = two_cpus
    descriptor = wakeups.write_end
    target = start(frame_kind, "signals.py", descriptor, int(REAL_TIME_SIGNAL), cpus={theirs}, pass_fds=(descriptor,))
    target.says()
    process = flametap.start_pausing(target, ours, "-r", 2000, "-d", 600, *flametap.into(tmp_path))
    # Python 2 merges signals that come faster than it handles them: one by one then.
    total, at_once = (SIGNALS, 50) if frame_kind.minor >= (3, 0) else (SIGNALS // 10, 1)
    for sent in range(at_once, total + 1, at_once):
        for _ in range(at_once):
            os.kill(target.pid, REAL_TIME_SIGNAL)
        wakeups.wait_for(REAL_TIME_SIGNAL, sent)
    recording = flametap.recorded(tmp_path, flametap.interrupt(process))
    assert recording.stats["steps"]["paused"] > 0
    target.process.stdin.close()
    said = target.says()
    assert said["forked"] == said["reaped"] > 0
    assert target.reap() == 0
    assert wakeups.counts[REAL_TIME_SIGNAL] == total
    assert wakeups.counts[signal.SIGALRM] > 0


def test_a_call_that_cannot_be_restarted_is_not_interrupted(frame_kind, start, counters, tmp_path, two_cpus):
    """By a ptrace stop it would be, see docs/how-a-stack-is-read.md; but riding along needs none."""
    _, theirs = two_cpus
    target = start(frame_kind, "restarts.py", counters.path, cpus={theirs})
    target.says()
    process = flametap.start("record", "-p", target.pid, "-r", 2000, "--mode", "wall", *flametap.into(tmp_path))
    journal = flametap.journal_of(tmp_path / "recording.folded")
    flametap.wait_until_it_holds(process, journal, lambda recording: recording["threads"], "a sample")
    waits = counters.read()[1]
    wait_until(lambda: counters.read()[1] > waits + 100, "it has waited a hundred times")
    recording = flametap.recorded(tmp_path, flametap.interrupt(process))
    assert recording.folded.total > 0
    assert recording.stats["steps"]["paused"] == 0
    target.process.stdin.close()
    assert target.says()["interrupted"] == 0

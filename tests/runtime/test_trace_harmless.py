"""Whatever happens to a flametap that traces, the target goes on, and nothing of us stays in it or in the kernel."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import flametap
import tracing
from target import TARGETS, LineReader, wait_until

pytestmark = pytest.mark.usefixtures("ebpf")

EVENTS = ("call", "gc", "import", "audit")


@pytest.fixture
def busy(start, counters):
    """A target that calls all the time, and counts."""

    def begin(python):
        target = start(python, "alternate.py", counters.path, 20)
        target.says()
        return target, tracing.marks_of(target, python)

    return begin


def start_trace(target, out, *options):
    return flametap.start("trace", "-p", target.pid, "--events", ",".join(EVENTS), "--format", "jsonl", "-o", out, *options)


def wait_until_traced(process, marks, out):
    marks.wait_until_armed(*EVENTS)
    wait_until(lambda: process.poll() is not None or Path(out).exists() and Path(out).stat().st_size > 0, "events are written")
    assert process.poll() is None, flametap.finish(process)


def is_in_the_kernel(kind, number):
    """Whether there is a program or a link of this id."""
    done = subprocess.run(["bpftool", kind, "show", "id", str(number)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def wait_until_at_rest(marks):
    """Of a target of ours; a test beside this one may trace the whole machine for a while."""
    wait_until(marks.are_at_rest, "no marker is probed any more")


@pytest.mark.skipif(not shutil.which("bpftool"), reason="bpftool is not installed")
def test_killed_it_leaves_nothing_behind(call_python, busy, counters, tmp_path):
    target, marks = busy(call_python)
    process = start_trace(target, tmp_path / "trace")
    wait_until_traced(process, marks, tmp_path / "trace")
    ours = {kind: tracing.kernel_ids(process.pid, kind) for kind in ("prog", "link")}
    assert ours["prog"] and ours["link"]
    ours = [(kind, number) for kind, numbers in ours.items() for number in numbers]
    assert all(is_in_the_kernel(*each) for each in ours)
    process.kill()
    flametap.finish(process)
    wait_until_at_rest(marks)
    wait_until(lambda: not any(is_in_the_kernel(*each) for each in ours), "our programs are gone", pause_s=0.05)
    counters.wait_for_progress()
    assert target.is_left_alone()


def test_an_interrupt_is_a_normal_end(call_python, busy, counters, tmp_path):
    target, marks = busy(call_python)
    process = start_trace(target, tmp_path / "trace")
    wait_until_traced(process, marks, tmp_path / "trace")
    done = flametap.interrupt(process)
    assert done.code == flametap.DONE, done
    wait_until_at_rest(marks)
    trace = tracing.Trace((tmp_path / "trace").read_text())
    assert trace.end["events"] > 0
    counters.wait_for_progress()


def test_two_at_once_see_the_same(usual_call_python, start, tmp_path):
    target = start(usual_call_python, TARGETS / "calls.py", "plain", 50)
    target.says()
    marks = tracing.marks_of(target, usual_call_python)
    options = ["-p", target.pid, "--events", "call", "--format", "jsonl", "--buffer", 256]
    one, other = (flametap.start("trace", *options, "-o", tmp_path / name) for name in ("one", "other"))
    marks.wait_until_armed("call")
    for process in (one, other):
        tracing.wait_until_attached(process, "call")
    target.tell("go")
    for process in (one, other):
        done = flametap.finish(process)
        assert done.code == flametap.DONE, done
    one, other = (tracing.Trace((tmp_path / name).read_text()) for name in ("one", "other"))
    for trace in (one, other):
        trace.assert_whole()
    assert one.counts("call", TARGETS / "calls.py")
    for kind in ("call", "return"):
        assert one.counts(kind, TARGETS / "calls.py") == other.counts(kind, TARGETS / "calls.py")


def test_its_time_is_over(usual_call_python, busy, counters, tmp_path):
    target, marks = busy(usual_call_python)
    began = time.monotonic()
    done = flametap.run("trace", "-p", target.pid, "-d", 0.5, "--format", "jsonl", "-o", tmp_path / "trace")
    assert done.code == flametap.DONE, done
    assert time.monotonic() - began >= 0.5
    wait_until_at_rest(marks)
    end = tracing.Trace((tmp_path / "trace").read_text()).end
    assert end["ended_ns"] - end["began_ns"] >= 0.5e9
    counters.wait_for_progress()


CALLS_UNTIL_TOLD = """
import os, sys
def call(): return os.path.exists(%r)
sys.stdout.write("%%d\\n" %% os.getpid())
sys.stdout.flush()
while not call(): pass
"""


def test_a_command_that_goes_on_is_not_probed_any_more(usual_call_python, tmp_path):
    """The trace is over, flametap waits for the command: it still holds what it has in the kernel, if it does not let it go."""
    trace, told = tmp_path / "trace", tmp_path / "told"
    process = flametap.start("trace", "-d", 0.5, "--format", "jsonl", "-o", trace, "--", *usual_call_python.command, "-c",
                             CALLS_UNTIL_TOLD % str(told), env=usual_call_python.environment())
    try:
        pid = int(LineReader(process.stdout.fileno()).line())
        marks = tracing.Marks(pid, tracing.marked_file(usual_call_python), usual_call_python.minor)
        wait_until(lambda: trace.exists() and '"event":"end"' in trace.read_text().replace(" ", "")[-1000:], "the trace has ended")
        wait_until_at_rest(marks)
        assert process.poll() is None, "the command goes on"
    finally:
        told.touch()
        done = flametap.finish(process)
    assert done.code == 0, done
    assert tracing.Trace(trace.read_text()).of("call")


def test_the_end_of_the_target_is_the_end(usual_call_python, busy, tmp_path):
    target, marks = busy(usual_call_python)
    process = start_trace(target, tmp_path / "trace")
    wait_until_traced(process, marks, tmp_path / "trace")
    os.kill(target.pid, signal.SIGKILL)
    target.reap()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    assert tracing.Trace((tmp_path / "trace").read_text()).end["events"] > 0


@pytest.mark.parametrize("code", [0, 3])
def test_a_command_gives_its_own_code(usual_call_python, tmp_path, code):
    done = flametap.run("trace", "-o", tmp_path / "trace", "--format", "jsonl", "--", *usual_call_python.command, "-c",
                        "import sys; sys.exit(%d)" % code, env=usual_call_python.environment())
    assert done.code == code, done
    tracing.Trace((tmp_path / "trace").read_text()).assert_whole()


@pytest.mark.parametrize("events", ["call", "line", "call,line,gc"])
def test_a_build_that_would_abort_is_left_alone(aborting_python, busy, counters, tmp_path, events):
    """A debug build of 3.11 asserts that nobody listens to its line marker, without which it tells of no calls."""
    target, _ = busy(aborting_python)
    done = flametap.run("trace", "-p", target.pid, "--events", events, "-d", 0.5, "--format", "jsonl", "-o", tmp_path / "trace")
    counters.wait_for_progress()
    assert target.is_left_alone()
    assert done.code == (flametap.DONE if "gc" in events else flametap.NOT_PYTHON), done

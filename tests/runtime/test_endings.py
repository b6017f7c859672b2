"""The target ends or becomes another program in the middle: all data so far is there, and the summary says what
happened.
"""

import collections
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

import flametap
from target import TARGETS, wait_until

FOR_LONG_S = 600  # a recording that something else ends


@pytest.fixture
def obedient(start, two_cpus, tmp_path):
    """Starts obedient.py and a recording of it that has begun to sample; gives both."""

    def begin(interpreter):
        ours, theirs = two_cpus
        target = start(interpreter, "obedient.py", cpus={theirs})
        target.says()
        return target, flametap.start_pausing(target, ours, "-d", FOR_LONG_S, *flametap.into(tmp_path))

    return begin


def assert_ended(recording, reason):
    assert recording.folded.total > 0
    assert any(frame.file.endswith("obedient.py") for stack in recording.folded.stacks for frame in stack)
    assert recording.stats["duration_s"] < FOR_LONG_S
    assert re.search(reason, recording.stats["ended"]), recording.stats["ended"]
    assert recording.stats["ended"] in recording.run.err


def test_exit(frame_kind, obedient, tmp_path):
    target, process = obedient(frame_kind)
    reaper = threading.Thread(target=target.reap)  # at once, as a shell does
    reaper.start()
    target.tell("exit 3")
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    reaper.join()
    assert target.process.returncode == 3
    assert_ended(recording, r"exit|ended")


def test_becomes_a_zombie(frame_kind, obedient, tmp_path):
    target, process = obedient(frame_kind)
    target.tell("exit 3")  # and nobody waits for it
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    wait_until(lambda: target.state() == "Z", "the kernel has ended it")
    assert_ended(recording, r"exit|ended")
    assert target.reap() == 3


ORDINARY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []


def begin_as_an_ordinary_user(python, start, folder, way):
    """A recording that has begun, of an obedient.py, both by an ordinary user; what tells obedient.py to end, and its pid."""
    source, out = folder / "obedient.py", folder / "out.ftap"
    shutil.copy(TARGETS / "obedient.py", source)
    binary = shutil.copy(flametap.binary(), folder / "flametap")
    record = [binary, "record", "--stats", folder / "stats", "-o", out]
    if way == "attached":
        scope = Path("/proc/sys/kernel/yama/ptrace_scope")
        if scope.exists() and scope.read_text().strip() != "0":
            pytest.skip("Yama lets nobody but root attach to what is not a child")
        target = start(python, source, wrap=ORDINARY)
        target.says()
        words, said = [*record, "-p", target.pid], target.process.stdin
    else:
        words, said = [*record, "--", *python.command, source], None
    process = subprocess.Popen([*map(str, ORDINARY), *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, cwd=folder, env=python.environment(), start_new_session=True)
    flametap.wait_until_it_holds(process, out, lambda recording: "leaf" in flametap.functions_of(recording), "leaf")
    return process, said or process.stdin, flametap.so_far(out)["processes"][0]["pid"]


@pytest.mark.parametrize("way", ["launched", "attached"])
def test_exit_as_an_ordinary_user(system_python, start, public_folder, way):
    """The kernel gives the files in /proc of a process that is about to end to root."""
    process, said, pid = begin_as_an_ordinary_user(system_python, start, public_folder, way)
    said.write(b"exit 0\n")
    said.flush()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    assert json.loads((public_folder / "stats").read_text())["ended"] == "process %d exited" % pid
    assert "process %d exited" % pid in done.err


def test_killed(frame_kind, obedient, tmp_path):
    target, process = obedient(frame_kind)
    os.kill(target.pid, signal.SIGKILL)
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert_ended(recording, "process %d was killed by SIGKILL" % target.pid)
    assert target.reap() == -signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGRTMIN], ids=["SIGSEGV", "SIGTERM", "SIGRTMIN"])
def test_killed_and_reaped_at_once(usual_python, obedient, tmp_path, number):
    """From Linux 6.15 on, the kernel says how it ended even then; where it does not, we do not guess."""
    target, process = obedient(usual_python)
    reaper = threading.Thread(target=target.reap)
    reaper.start()
    resource.prlimit(target.pid, resource.RLIMIT_CORE, (0, 0))
    os.kill(target.pid, number)
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    reaper.join()
    name = "signal %d" % number if number == signal.SIGRTMIN else number.name
    assert_ended(recording, "process %d (was killed by %s|ended)$" % (target.pid, name))


def test_killed_as_an_ordinary_user(system_python, start, public_folder):
    process, _, pid = begin_as_an_ordinary_user(system_python, start, public_folder, "attached")
    os.kill(pid, signal.SIGKILL)
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    assert json.loads((public_folder / "stats").read_text())["ended"] == "process %d was killed by SIGKILL" % pid


def test_execs_another_program(frame_kind, obedient, tmp_path):
    target, process = obedient(frame_kind)
    target.tell("exec /bin/sleep 1000")
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert_ended(recording, r"process %d began to execute another program, in which no Python was found" % target.pid)
    assert target.is_left_alone()


def processes_of(recording):
    """The processes in which obedient.py's functions were seen: one that executes another program is another one then."""
    return {sample.thread["process"] for sample in flametap.samples_of(recording) if sample.function in ("leaf", "branch", "work")}


BY_A_SHELL = """#!/bin/sh
exec "$@"
"""


@pytest.mark.parametrize("way", ["exec", "by a shell"])
@pytest.mark.parametrize("rate", [20, 1000])
def test_execs_another_python(usual_and_system_python, start, tmp_path, rate, way):
    """The recording goes on with the new program: no data of the old one is lost or garbled."""
    python, out, shell = usual_and_system_python, tmp_path / "all.json", tmp_path / "shell"
    shell.write_text(BY_A_SHELL)
    shell.chmod(0o755)
    target = start(python, "obedient.py")
    target.says()
    process = flametap.start("record", "-p", target.pid, "-r", rate, "-o", out)
    journal = flametap.journal_of(out)
    flametap.wait_until_it_holds(process, journal, lambda recording: len(processes_of(recording)) == 1, "the first program")
    target.tell("exec %s %s %s" % (shell if way == "by a shell" else "", python.command[0], target.process.args[-1]))
    target.says()  # by the new program
    flametap.wait_until_it_holds(process, journal, lambda recording: len(processes_of(recording)) == 2, "the second program")
    target.tell("exit 0")
    assert target.reap() == 0
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    assert re.search("process %d (exited|ended)" % target.pid, done.err), done.err
    recording = json.loads(out.read_text())
    assert {each["pid"] for each in recording["processes"]} == {target.pid}
    known = {"<module>", "main", "work", "branch", "leaf"}
    names = {frame.name for stack in flametap.stacks_of(recording) for frame in stack if frame.file.endswith("obedient.py")}
    assert names <= known


def test_one_of_two_execs_no_python(usual_python, start, tmp_path):
    """The other one is sampled meanwhile, and afterwards."""
    out = tmp_path / "both.ftap"
    first, second = (start(usual_python, "obedient.py") for _ in range(2))
    first.says(), second.says()
    process = flametap.start("record", "-p", first.pid, "-p", second.pid, "-o", out)
    flametap.wait_until_it_holds(process, out, lambda found: ticks_of(found, first) and ticks_of(found, second), "both")
    first.tell("exec /bin/sleep 1000")
    wait_until(lambda: comm_of(first.pid) == "sleep", "it executes another program")
    before = ticks_of(flametap.so_far(out), second)
    flametap.wait_until_it_holds(process, out, lambda found: ticks_of(found, second) > before + 100, "more of the other one")
    second.tell("exit 0")
    second.reap()
    assert flametap.finish(process).code == flametap.DONE


def comm_of(pid):
    return Path("/proc/%d/comm" % pid).read_text().strip()


def ticks_of(recording, target):
    return sum(sample.ticks for sample in flametap.samples_of(recording) if sample.process["pid"] == target.pid)


def test_one_of_two_ends(usual_python, start, tmp_path):
    """The other one is recorded on."""
    out = tmp_path / "both.ftap"
    first, second = (start(usual_python, "obedient.py") for _ in range(2))
    first.says(), second.says()
    process = flametap.start("record", "-p", first.pid, "-p", second.pid, "-o", out)
    flametap.wait_until_it_holds(process, out, lambda found: ticks_of(found, first) and ticks_of(found, second), "both")
    first.tell("exit 0")
    first.reap()
    before = ticks_of(flametap.so_far(out), second)
    flametap.wait_until_it_holds(process, out, lambda found: ticks_of(found, second) > before + 100, "more of the other one")
    assert flametap.interrupt(process).code == flametap.DONE


def test_time_that_nobody_saw_is_missed_and_nobody_elses(usual_python, start, tmp_path):
    """flametap itself stands still for a second; a thread that starts then has not lived through it."""
    source, out, rate = tmp_path / "late.py", tmp_path / "all.json", 100
    source.write_text(LATE)
    target = start(usual_python, source)
    target.says()
    process = flametap.start("record", "-p", target.pid, "-r", rate, "--mode", "wall", "-o", out)
    journal = flametap.journal_of(out)
    flametap.wait_until_it_holds(process, journal, lambda recording: recording["threads"], "the main thread")
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: state_of(process.pid) == "T", "it stands still")
    began = time.monotonic()
    target.tell("start a thread in a second")
    assert target.says() == "started"
    stopped_s = time.monotonic() - began
    process.send_signal(signal.SIGCONT)
    flametap.wait_until_it_holds(process, journal, lambda recording: "late" in flametap.functions_of(recording), "late")
    target.tell("end")
    lived_ns = target.says()
    target.reap()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    missed = stopped_s * rate - 3  # whole slots of the schedule, of which two are only partly in it
    assert recording["recording"]["quality"]["missed_ticks"] >= missed, (missed, recording["recording"]["quality"])
    late = sum(sample.weight_ns for sample in flametap.samples_of(recording) if sample.function == "late")
    assert 0 < late < lived_ns + 0.4e9, "it lived for %.1f s" % (lived_ns / 1e9)


LATE = """
import sys, threading, time
told = False
def late():
    while not told: pass
print("1"); sys.stdout.flush()
sys.stdin.readline()
time.sleep(1)
thread = threading.Thread(target=late)
began = time.monotonic_ns()
thread.start()
print('"started"'); sys.stdout.flush()
sys.stdin.readline()
told = True
thread.join()
print(time.monotonic_ns() - began); sys.stdout.flush()
"""


# One thread computes and one sleeps, each with one stack for good.
STEADY = """
import sys, threading
def spin():
    while True: pass
thread = threading.Thread(target=spin)
thread.daemon = True
thread.start()
print("1"); sys.stdout.flush()
sys.stdin.readline()
"""


def test_a_late_sample_stands_for_the_ticks_before_it(usual_python, start, tmp_path):
    """flametap itself stands still in the midst of a recording: of threads that were there all the time nothing is lost."""
    source, out, rate = tmp_path / "steady.py", tmp_path / "all.ftap", 100
    source.write_text(STEADY)
    target = start(usual_python, source)
    target.says()
    process = flametap.start("record", "-p", target.pid, "-r", rate, "-o", out)
    flametap.wait_until_it_holds(process, out, lambda recording: len(recording["threads"]) == 2, "both threads")
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: state_of(process.pid) == "T", "it stands still")
    began = time.monotonic()
    time.sleep(0.5)
    stopped_s = time.monotonic() - began
    process.send_signal(signal.SIGCONT)
    missed = stopped_s * rate - 3  # whole slots of the schedule, of which two are only partly in it
    flametap.wait_until_it_holds(process, out, lambda recording: recording["recording"]["quality"]["missed_ticks"] >= missed,
                                 "what was missed")
    assert flametap.interrupt(process).code == flametap.DONE
    ticks, weights = collections.Counter(), collections.Counter()
    for sample in flametap.samples_of(flametap.so_far(out)):
        ticks[sample.thread["id"]] += sample.ticks
        weights[sample.thread["id"]] += sample.weight_ns
    assert len(ticks) == 2
    for thread, weight_ns in weights.items():
        assert weight_ns * rate / 1e9 >= ticks[thread] + missed, (thread, weights, ticks, missed)


def sleeps_until_a_tick(pid):
    """Whether a thread of flametap is in clock_nanosleep."""
    return any(thread.joinpath("syscall").read_text().startswith("230 ") for thread in Path("/proc/%d/task" % pid).iterdir())


def test_a_tick_that_was_due_in_time_is_taken_late(usual_python, start, tmp_path):
    """flametap stands still from before its first tick until the time is up: what was recorded is one late sample."""
    target = start(usual_python, "obedient.py")
    target.says()
    process = flametap.start("record", "-p", target.pid, "-r", 2, "-d", 0.6, "--mode", "wall", *flametap.into(tmp_path))
    # Where we come too late for the first tick, it was in time.
    wait_until(lambda: process.poll() is not None or sleeps_until_a_tick(process.pid), "it sleeps until its first tick")
    process.send_signal(signal.SIGSTOP)
    wait_until(lambda: process.poll() is not None or state_of(process.pid) == "T", "it stands still")
    time.sleep(1.6)
    process.send_signal(signal.SIGCONT)
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert recording.folded.total > 0
    # There are two slots of half a second in the time of the recording, the second one in part.
    assert 1 <= recording.stats["ticks"] + recording.stats["missed_ticks"] <= 2, recording.stats


def state_of(pid):
    return Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()[0]


def test_the_journal_is_there_while_a_command_waits(usual_python, tmp_path):
    """The Python has ended, the command goes on: killed then, flametap leaves what it recorded."""
    told = tmp_path / "told"
    words = ["sh", "-c", '"$0" -c "$1" "$2"; echo over; read nothing', *usual_python.command, BUSY, told]
    process = flametap.start("record", "-o", tmp_path / "out.svg", "--", *words, env=usual_python.environment(),
                             stdin=subprocess.PIPE)
    try:
        journal = tmp_path / "out.svg.partial.ftap"
        flametap.wait_until_it_holds(process, journal, lambda recording: "busy" in flametap.functions_of(recording), "busy")
    finally:
        told.touch()
    assert process.stdout.readline() == b"over\n"
    process.kill()
    process.communicate()
    done = flametap.run("report", journal, "-f", "folded", "-o", "-")
    assert done.code == flametap.DONE and b"busy" in done.out, done


BUSY = """
import os, sys
def busy():
    while not os.path.exists(sys.argv[1]): pass
busy()
"""


def test_a_recording_that_is_there_is_replaced_at_the_end_only(usual_python, start, counters, tmp_path):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    out = tmp_path / "out.ftap"
    assert flametap.run("record", "-p", target.pid, "-d", 0.3, "-o", out).code == flametap.DONE
    before = out.read_bytes()
    process = flametap.start("record", "-p", target.pid, "-o", out)
    journal = tmp_path / "out.ftap.partial.ftap"
    wait_until(lambda: journal.exists() and journal.stat().st_size > 100, "it records")
    assert out.read_bytes() == before
    assert flametap.interrupt(process).code == flametap.DONE
    assert out.read_bytes() != before and not journal.exists()

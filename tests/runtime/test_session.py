"""A recording takes no CPU time from the program that it samples: it has a session of its own, and asks for no priority.

The process that was started stays in the session of the shell, gets its signals and passes them on; a child of it samples.
"""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

import flametap
from target import LineReader, wait_until

SAMPLERS_NICE = 10
# Says where it was started and which interrupts it gets, until it is told to end.
TELLS = """
import json, os, signal, sys, time
def tell(**what):
    os.write(1, (json.dumps(what) + "\\n").encode())
signal.signal(signal.SIGINT, lambda *_: tell(interrupted=True))
signal.signal(signal.SIGUSR1, lambda *_: (tell(end=True), os._exit(3)))  # comes after an interrupt that came before
tell(pid=os.getpid(), session=os.getsid(0), group=os.getpgrp())
while not os.path.exists(%r): sum(range(1000))
"""


def stat(pid):
    """The fields of /proc/PID/stat after the command's name: state, parent, group, session..."""
    return Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()


def sampler_of(process):
    """The process that samples, once it has left the session."""
    sampler = flametap.sampler_of(process)
    wait_until(lambda: int(stat(sampler)[3]) == sampler, "it has a session of its own")
    return sampler


def is_running(pid):
    try:
        return stat(pid)[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def journal(tmp_path):
    return flametap.journal_of(tmp_path / "all.json")


@pytest.fixture
def attached(start, usual_python, tmp_path, journal):
    """A recording of a target, in the session of the tests and a group of its own, as a shell would start it; and the target."""
    target = start(usual_python, "paces.py", "calls")
    target.says()
    process = flametap.start("record", "-p", target.pid, "-o", tmp_path / "all.json", start_new_session=False,
                             preexec_fn=os.setpgrp)
    flametap.wait_until_it_holds(process, journal, lambda recording: True, "anything")
    yield process, target
    process.kill()
    process.wait()


@pytest.fixture
def told(tmp_path):
    return tmp_path / "told"


def test_an_attached_sampler_has_a_session_of_its_own(attached, tmp_path):
    process, _ = attached
    assert int(stat(process.pid)[3]) == os.getsid(0)
    sampler = sampler_of(process)
    assert flametap.interrupt(process).code == flametap.DONE
    assert json.loads((tmp_path / "all.json").read_text())["recording"]["ended"] == "stopped by a signal"
    assert not is_running(sampler)


def test_it_asks_for_no_priority(attached):
    process, _ = attached
    sampler = sampler_of(process)
    nices = [os.getpriority(os.PRIO_PROCESS, int(task.name)) for task in Path("/proc/%d/task" % sampler).iterdir()]
    assert min(nices) >= os.getpriority(os.PRIO_PROCESS, 0) and max(nices) >= SAMPLERS_NICE, nices


def test_one_that_leads_its_session_samples_itself(start, usual_python, tmp_path, journal):
    target = start(usual_python, "paces.py", "calls")
    target.says()
    process = flametap.start("record", "-p", target.pid, "-o", tmp_path / "all.json")
    flametap.wait_until_it_holds(process, journal, lambda recording: True, "anything")
    assert flametap.children_of(process.pid) == []
    assert flametap.interrupt(process).code == flametap.DONE


def test_a_command_stays_in_the_session(usual_python, tmp_path, told):
    process = flametap.start("record", "-o", tmp_path / "all.json", "--", *usual_python.command, "-c", TELLS % str(told),
                             env=usual_python.environment())
    said = json.loads(LineReader(process.stdout.fileno()).line())
    sampler = sampler_of(process)
    told.touch()
    assert flametap.finish(process).code == 0
    assert said["session"] == said["group"] == process.pid
    assert said["pid"] != sampler


def test_killed_both_end_and_the_target_goes_on(attached, journal):
    process, target = attached
    sampler = sampler_of(process)
    process.kill()
    process.wait()
    wait_until(lambda: not is_running(sampler), "the sampler ends, too")
    wait_until(target.is_left_alone, "the target is left alone")
    assert flametap.so_far(journal)["samples"]["time_ns"]


def test_stopped_from_the_terminal_both_stop_and_go_on(attached):
    process, target = attached
    sampler = sampler_of(process)
    process.send_signal(signal.SIGTSTP)
    wait_until(lambda: stat(process.pid)[0] == stat(sampler)[0] == "T", "both are stopped")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: "T" not in stat(process.pid)[0] + stat(sampler)[0], "both go on")
    assert flametap.interrupt(process).code == flametap.DONE
    assert target.is_left_alone()


def test_where_no_shell_could_let_them_go_on_they_are_not_stopped(usual_python, tmp_path, told, journal):
    """It leads its session: the kernel discards such a stop for a group that is orphaned."""
    process = flametap.start("record", "-o", tmp_path / "all.json", "--", *usual_python.command, "-c", TELLS % str(told),
                             env=usual_python.environment())
    LineReader(process.stdout.fileno()).line()
    flametap.wait_until_it_holds(process, journal, lambda recording: True, "anything")
    process.send_signal(signal.SIGTSTP)
    before_ns = flametap.so_far(journal)["recording"]["duration_ns"]
    flametap.wait_until_it_holds(process, journal, lambda recording: recording["recording"]["duration_ns"] > before_ns + 1e9,
                                 "more of it")
    told.touch()
    assert flametap.finish(process).code == 0


def test_exit_codes_where_children_are_ignored(usual_python, tmp_path):
    """Some supervisors leave SIGCHLD ignored; then the kernel keeps no word of how a child ended."""
    def run(*words):
        return flametap.run("record", "-o", tmp_path / "all.json", *words, start_new_session=False,
                            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))

    ended = subprocess.Popen(["true"])
    ended.wait()
    assert run("-p", ended.pid).code == flametap.NO_SUCH_PROCESS
    assert run("--", *usual_python.command, "-c", "import os; os._exit(7)").code == 7


def test_a_sampler_that_is_killed_is_told_as_such(attached):
    process, _ = attached
    os.kill(sampler_of(process), signal.SIGKILL)
    assert flametap.finish(process).code == -signal.SIGKILL


def test_an_interrupt_of_the_terminal_comes_once(usual_python, tmp_path, told, journal):
    """The terminal sends it to all of its group: to flametap, which must not pass it on, and to the command itself."""
    ours, theirs = pty.openpty()

    def take_terminal():
        os.setsid()
        os.close(os.open(os.ttyname(theirs), os.O_RDWR))  # becomes the terminal of the session

    process = subprocess.Popen(
        [flametap.binary(), "record", "-o", str(tmp_path / "all.json"), "--", *map(str, usual_python.command), "-c",
         TELLS % str(told)],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=take_terminal,
        env=usual_python.environment())
    os.close(theirs)
    try:
        lines = LineReader(process.stdout.fileno())
        lines.line()
        flametap.wait_until_it_holds(process, journal, lambda recording: True, "anything")
        sampler = sampler_of(process)
        os.write(ours, b"\x03")
        assert json.loads(lines.line()) == {"interrupted": True}
        # This one is for the command, which ends by it: an interrupt that was passed on would have come before.
        process.send_signal(signal.SIGUSR1)
        assert json.loads(lines.line()) == {"end": True}
        process.wait()
    finally:
        told.touch()
        process.kill()
        process.wait()
        os.close(ours)
    assert not is_running(sampler)
    assert process.returncode == 3
    assert json.loads((tmp_path / "all.json").read_text())["samples"]["time_ns"]

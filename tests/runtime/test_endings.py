"""The target ends or becomes another program in the middle: all data so far is there, and the summary says what
happened.
"""

import os
import re
import signal
import threading

import pytest

import flametap


@pytest.fixture
def obedient(start, two_cpus, tmp_path):
    """Starts obedient.py and a recording of it that has begun to sample; gives both."""

    def begin(interpreter):
        ours, theirs = two_cpus
        target = start(interpreter, "obedient.py", cpus={theirs})
        target.says()
        return target, flametap.start_pausing(target, ours, "-d", 60, *flametap.into(tmp_path))

    return begin


def assert_ended(recording, reason):
    assert recording.folded.total > 0
    assert any(frame.file.endswith("obedient.py") for stack in recording.folded.stacks for frame in stack)
    assert recording.stats["duration_s"] < 60
    assert re.search(reason, recording.stats["ended"]), recording.stats["ended"]
    assert re.search(reason, recording.run.err), recording.run.err


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
    assert target.state() == "Z"
    assert_ended(recording, r"exit|ended")
    assert target.reap() == 3


def test_killed(frame_kind, obedient, tmp_path):
    target, process = obedient(frame_kind)
    os.kill(target.pid, signal.SIGKILL)
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert_ended(recording, r"exit|ended|kill")
    assert target.reap() == -signal.SIGKILL


def test_execs_another_program(frame_kind, obedient, tmp_path):
    target, process = obedient(frame_kind)
    target.tell("exec /bin/sleep 1000")
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert_ended(recording, r"exec|another program|no longer")
    assert target.is_left_alone()


def test_execs_another_python(usual_python, start, obedient, tmp_path):
    """Whether the recording ends there or goes on with the new program: no data of the old one is lost or garbled."""
    target, process = obedient(usual_python)
    target.tell("exec %s %s" % (usual_python.command[0], target.process.args[-1]))
    target.says()  # by the new program
    target.tell("exit 0")
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert_ended(recording, r"exec|another program|no longer|exit|ended")
    known = {"<module>", "main", "work", "branch", "leaf"}
    names = {frame.name for stack in recording.folded.stacks for frame in stack if frame.file.endswith("obedient.py")}
    assert names <= known
    assert target.reap() == 0


def test_one_of_two_ends(usual_python, start, two_cpus, tmp_path):
    """The other one is recorded to the end."""
    ours, theirs = two_cpus
    first, second = (start(usual_python, "obedient.py", cpus={theirs}) for _ in range(2))
    first.says(), second.says()
    process = flametap.start_pausing(first, ours, "-p", second.pid, "-d", 2, *flametap.into(tmp_path))
    first.tell("exit 0")
    first.reap()
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert recording.folded.total > 0
    assert recording.stats["duration_s"] >= 1.9

"""A freed code object's address comes back as another function: a frame never has one's name with another's file."""

import re

import pytest

import flametap
from pythons import FULL

FUNCTION = re.compile(r"^fn_(\d{4})$")
FILE = re.compile(r"^file_(\d{4})$")

ENOUGH_FUNCTIONS = 100
ENOUGH_SAMPLES = 3000 if FULL else 1500
MOST_RECORDINGS = 50


def why_wrong(frame):
    """The reason why recycle.py cannot have this frame, or None."""
    file = FILE.match(frame.file)
    if not file:
        ours = frame.file.endswith("recycle.py") and frame.name in ("<module>", "main", "make")
        return None if ours else "unknown"
    if frame.name == "<module>":
        return None
    function = FUNCTION.match(frame.name)
    if not function or function[1] != file[1]:
        return "name and file disagree"
    first = int(file[1]) % 50 + 1
    return None if first <= frame.line <= first + 2 else "the line is not in that function"


@pytest.mark.parametrize("microseconds", [5, 300])
@pytest.mark.parametrize("way", ["free to move", "its CPU is closed to us"])
def test_name_file_and_line_agree(frame_kind, microseconds, way, start, tmp_path, two_cpus):
    ours, theirs = two_cpus
    closed = way != "free to move"
    target = start(frame_kind, "recycle.py", microseconds, cpus={theirs} if closed else None)
    assert target.says()["reused"] > 0.9, "the target does not do what it is for"
    functions, samples = set(), 0
    # Nearly every sample of a thread that runs meets another one. One that waits for its CPU stays in the one that it is in.
    # It is their number that finds a fault: the faster they come, the less time two processes compute for it.
    for _ in range(MOST_RECORDINGS):
        recording = flametap.record(tmp_path, "-p", target.pid, "-r", 8000, "-d", 0.4, "--mode", "wall",
                                    wrap=["taskset", "-c", ours] if closed else [])
        for stack in recording.folded.stacks:
            for frame in stack:
                assert why_wrong(frame) is None, "%s: %s of %s" % (why_wrong(frame), frame, stack)
        assert not recording.folded.markers
        assert recording.stats["unreadable"] == 0
        functions |= {frame.name for stack in recording.folded.stacks for frame in stack if FUNCTION.match(frame.name)}
        samples += recording.stats["samples"]
        if len(functions) > ENOUGH_FUNCTIONS and samples > ENOUGH_SAMPLES:
            break
    assert len(functions) > ENOUGH_FUNCTIONS, "hardly any of the short-lived functions was seen"

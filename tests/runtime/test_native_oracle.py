"""The C stacks of `dump --native=full` are those that elfutils finds, frame by frame, in the same process."""

from pathlib import Path

import pytest

import extension
import native_oracle
from native_stacks import Dumped, shown
from test_native_truth import STACKS


@pytest.fixture
def standing(native_python, start):
    """native_still.py, standing still, and {scenario: id of the thread}."""
    target = start(native_python, "native_still.py", env=extension.in_environment(native_python))
    scenarios = target.says()["threads"]
    target.wait_until_still()
    return target, scenarios


def test_the_oracle_itself_sees_what_we_expect(standing):
    target, scenarios = standing
    found = native_oracle.threads(target.pid)
    assert len(found) == len(STACKS)
    for scenario, number in scenarios.items():
        names = [sorted(frame.names) for frame in found[number].frames if frame.module.endswith("flametap_truth.so")]
        expected = [[each.name] for each in STACKS[scenario] if each.kind == "native" and each.name != "syscall"]
        assert names == (expected if found[number].is_whole else expected[: len(names)]), scenario
    assert target.is_left_alone()


def test_same_frames_as_elfutils(standing):
    target, _ = standing
    dumped = Dumped(target.pid, "--native=full")
    found = native_oracle.threads(target.pid)
    assert set(dumped.stacks) == set(found)
    for number, theirs in found.items():
        ours = [frame for frame in dumped.stacks[number] if frame.kind == "native"]
        for wanted, frame in zip(theirs.frames, ours):
            assert Path(frame.module).name == Path(wanted.module).name, shown(ours)
            assert not wanted.names or frame.name in wanted.names, "%s:\n%s" % (sorted(wanted.names), shown(ours))
        if theirs.is_whole:
            assert len(ours) == len(theirs.frames), shown(ours)
        else:
            assert len(ours) >= len(theirs.frames), shown(ours)

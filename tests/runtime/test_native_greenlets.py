"""Greenlets share one C stack: a sample shows what the running one has called, and nothing that lies further out."""

import pytest

import pythons
from native_stacks import Recording, shown

SECONDS = 1
RATE_HZ = 2000


@pytest.fixture(params=["3.8", "3.11", "3.13"])
def with_greenlet(request):
    found = [each for each in pythons.equipped("greenlet") if "%d.%d" % each.minor == request.param]
    if not found:
        pytest.skip("no greenlet for %s here: tools/pythons fetch" % request.param)
    return found[0]


def test_a_greenlet_has_its_own_stack(with_greenlet, start, tmp_path):
    target = start(with_greenlet, "greenlets.py")
    workers = target.says()["workers"]
    recording = Recording(tmp_path, "-p", target.pid, "-d", SECONDS, "-r", RATE_HZ, "--native")
    seen = set()
    for sample in recording.samples():
        names = [frame.name for frame in sample.stack if frame.kind == "python"]
        mine = [worker for worker in workers if worker in names]
        assert len(mine) <= 1, shown(sample.stack)
        if not mine:
            continue
        assert sample.stack[0].name == mine[0], shown(sample.stack)
        natives = {frame.name for frame in sample.stack if frame.kind != "python"}
        seen.update((mine[0], name) for name in natives)
        if mine == ["counting"]:
            assert not any("sort" in name for name in natives), shown(sample.stack)
    assert ("sorting", "builtin_sorted") in seen
    # A switch copies one stack over another.
    assert recording.quality["unmerged"] < recording.ticks / 4, recording.quality

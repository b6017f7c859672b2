"""Fixtures of the tests that hold the real binary against real interpreters.

Run them with `FLAMETAP=path/of/flametap python3 -m pytest tests/runtime`; without FLAMETAP it is build/flametap.
"""

import collections
import functools
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

import flametap
import leftovers
import markers
import pythons
import tracing
from pyflame import Pyflame
from target import TARGETS, Counters, Target, Wakeups

sys.dont_write_bytecode = True

INTERPRETERS = pythons.find()
PYFLAME_MINORS = ("2.7", "3.6", "3.9", "3.11", "3.13", "3.15")


def pytest_generate_tests(metafunc):
    for name, interpreters in choices_of_interpreters().items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, interpreters, ids=[each.name for each in interpreters])


@functools.lru_cache(maxsize=None)
def choices_of_interpreters():
    """Which interpreters a test runs against, by the name of its argument: of `some_python`, the tests run against some
    of those that `python` stands for, unless it is a full run."""
    choices = {
        "python": INTERPRETERS,
        "python3": [each for each in INTERPRETERS if each.minor >= (3,)],
        "frame_kind": pythons.one_of_each(INTERPRETERS),
        "pyflame_python": pythons.one_of_each(INTERPRETERS, PYFLAME_MINORS),
        "shared_python": [each for each in INTERPRETERS if each.shared],
        # For what the version decides, however it was built.
        "version_python": INTERPRETERS if pythons.FULL else pythons.one_of_each(INTERPRETERS, ("2.7", *pythons.MINORS)),
        "minor_python": pythons.one_of_each(INTERPRETERS, pythons.MINORS),
        "minor_python3": [each for each in pythons.one_of_each(INTERPRETERS, pythons.MINORS) if each.minor >= (3,)],
        "self_described_python": [each for each in INTERPRETERS if each.minor >= pythons.SELF_DESCRIBED],
        "own_gil_python": pythons.one_of_each(INTERPRETERS, pythons.OWN_GIL),
        "system_python": [each for each in INTERPRETERS if each.command == [pythons.SYSTEM]],
        "usual_python": [pythons.usual(INTERPRETERS)],
        "call_python": tracing.with_markers(INTERPRETERS, "call"),
        "release_call_python": pythons.one_of_each(tracing.with_markers(INTERPRETERS, "call"), pythons.MINORS),
        "line_python": tracing.with_markers(INTERPRETERS, "call", "line"),
        "aborting_python": [each for each in INTERPRETERS if tracing.aborts_when_armed(each)],
        "event_python": tracing.with_markers(INTERPRETERS, "gc", "import", "audit"),
        "usual_call_python": pythons.one_of_each(tracing.with_markers(INTERPRETERS, "call"), ("3.11",)),
        "native_python": pythons.for_native_frames(INTERPRETERS),
        # Python 2 makes no sub-interpreters; before 3.8 none can be made without running it.
        "native_python3": [each for each in pythons.for_native_frames(INTERPRETERS) if each.minor >= (3,)],
        "native_python38": [each for each in pythons.for_native_frames(INTERPRETERS) if each.minor >= (3, 8)],
    }
    choices["marked_python"] = [each for each in INTERPRETERS if markers.of_file(each.command[-1])]
    unmarked = [each for each in INTERPRETERS if not markers.of_file(each.command[-1])]
    choices["unmarked_python"] = pythons.one_of_each(unmarked, pythons.MINORS)
    choices["traced_python"] = [each for each in INTERPRETERS if each.minor >= (3, 7)]
    choices["marked_minor_python"] = pythons.one_of_each(choices["marked_python"], pythons.MINORS)
    choices["usual_and_system_python"] = choices["usual_python"] + choices["system_python"]
    choices.update({"some_" + name: pythons.some(interpreters) for name, interpreters in choices.items()})
    if pythons.QUICK:
        choices = {name: pythons.few(interpreters) for name, interpreters in choices.items()}
    return choices


# The tests in these take longest.
LONGEST = ("test_trace_truth", "test_instructions", "test_serve_hostile")


def pytest_collection_modifyitems(items):
    """The longest first: side by side, they end when the others do."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)


def pytest_report_header():
    missing = set(pythons.FRAME_KINDS) - {"%d.%d" % each.minor for each in INTERPRETERS}
    lines = ["flametap: " + flametap.binary(), "pythons: " + " ".join(each.name for each in INTERPRETERS)]
    return lines + (["kinds of frames without an interpreter here: " + " ".join(sorted(missing))] if missing else [])


@pytest.fixture(autouse=True)
def leaves_nothing_running(request):
    """The first fixture of each test, so the last one that ends. What fixtures of a module have started stays."""
    leftovers.begin(request.node.nodeid)
    yield
    left = leftovers.end()
    assert not left, "it left these running: %s" % left


@pytest.fixture
def start():
    """Starts targets, `start(python, "tangle.py", ...)`, and ends them after the test."""
    running = []

    def start_target(interpreter, script, *args, env=None, wrap=(), command=None, **options):
        path = script if os.path.isabs(str(script)) else TARGETS / script
        argv = [*wrap, *(command or interpreter.command), path, *args]
        running.append(Target(argv, env=interpreter.environment(env), **options))
        return running[-1]

    yield start_target
    for target in running:
        target.end()


@pytest.fixture
def counters(tmp_path):
    return Counters(tmp_path)


@pytest.fixture
def wakeups():
    made = Wakeups()
    yield made
    made.close()


def holds_both_chains(recording):
    """Whether a recording of alternate.py has enough of both: where it seldom gets a turn, many samples are of one."""
    ticks = collections.Counter()
    for sample in flametap.samples_of(recording):
        ticks[sample.function[:1]] += sample.ticks
    return min(ticks["A"], ticks["B"]) > 0.1 * ticks.total() > 10


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    """A recording in flametap's own JSON, to be read only."""
    folder = tmp_path_factory.mktemp("recording")
    python = pythons.usual(INTERPRETERS)
    target = Target([*python.command, TARGETS / "alternate.py", Counters(folder).path, 20], env=python.environment())
    try:
        target.says()
        flametap.record_until(folder / "recording.json", holds_both_chains, "both of its chains", "-p", target.pid)
    finally:
        target.end()
    return folder / "recording.json"


@pytest.fixture
def two_cpus():
    """Two CPUs that we may use: one for the target, one for flametap."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("needs two CPUs, this process may use only %s" % allowed)
    # Tests side by side do not all have their targets on the same one.
    is_odd = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    return (allowed[1], allowed[0]) if is_odd else (allowed[0], allowed[1])


@pytest.fixture(scope="session")
def ebpf():
    """For tests that trace: skips them, with the reason, where the kernel does not let us."""
    python = next(iter(tracing.with_markers(INTERPRETERS, "gc")), None)
    if not python:
        pytest.skip("no Python has markers here: see tools/pythons")
    # Of a process of our own: what traces the whole machine would disturb other tests.
    target = Target([*python.command, "-c", markers.WAITS], env=python.environment())
    try:
        target.says()
        done = flametap.run("trace", "-p", target.pid, "--events", "gc", "-d", 0.01, "--format", "jsonl", "-o", os.devnull)
    finally:
        target.end()
    if done.code == flametap.NOT_PERMITTED:
        pytest.skip(done.err.strip())
    assert done.code == flametap.DONE, done


@pytest.fixture
def public_folder():
    """A folder that every user may read and write: pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="flametap-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def pyflame(tmp_path_factory):
    path = tmp_path_factory.mktemp("bin") / "pyflame"
    path.symlink_to(Path(flametap.binary()).resolve())
    return Pyflame(path)


@pytest.fixture
def workload(start):
    """Starts workload.py; gives it once it does what it is asked for."""

    def begin(interpreter, mode):
        target = start(interpreter, "workload.py", mode)
        target.said = target.says()
        if mode == "blocked":
            target.wait_until_still()
        else:
            target.wait_until_it_computes()
        return target

    return begin

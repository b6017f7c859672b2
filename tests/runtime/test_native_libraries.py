"""Native frames of libraries that people use: known hot functions are found below the Python function that calls them,
next to nothing stays unmerged, and what a symbol covers has its name."""

import collections
import json
import re
import subprocess
from pathlib import Path

import pytest

import flametap
import native_oracle
import pythons
from native_stacks import Dumped, JsonRecording, is_of, shown, without_c_stack, without_class
from pythons import FULL

MIN_SAMPLES = 1500
RATE_HZ = 1000 if FULL else 2000
STOPS = 12 if FULL else 8

# What must be seen below a Python function, however the library was built: it exports these, or its kin.
EXPORTED = {
    "compress": r"deflate",
    "digest": r"(?i)EVP_Digest|_?sha|Hacl",
    "query": r"sqlite3_step",
    "decompose": r"(?i)(scipy_)?(openblas_)?d(gesdd|bdsdc|lasd|gemm|gemv|gebrd|labrd|orm|gelqf|geqrf|larf|ger)",
    "multiply": r"(?i).*(gemm|syrk|exec_blas|inner_thread)",
}
# And these, where the interpreter's own file names what it does not export.
INTERNAL = {
    "parse": r"scan|_parse_|_match_number|make_",
    "match": r"(?i)_?sre_|pattern_",
    "sort_with_key": r"list_sort|builtin_sorted|count_run|binarysort|merge_",
}

def has_symbols(path):
    """Whether a file names functions that it does not export."""
    sections = subprocess.run(["readelf", "--sections", "--wide", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return b".symtab" in sections


def below(stack, function):
    """What a Python function of the target called, outermost first; none if it is not on the stack."""
    for place, frame in enumerate(stack):
        if frame.kind == "python" and without_class(frame.name) == function:
            return stack[place + 1:]
    return ()


class Seen:
    """The native names below each Python function of the target, with the samples in which they were."""

    def __init__(self, recording, functions):
        self.names = {function: collections.Counter() for function in functions}
        self.ticks = collections.Counter()
        for sample in recording.samples():
            for function in functions:
                above = below(sample.stack, function)
                self.ticks[function] += sample.ticks if above else 0
                self.names[function].update({frame.name: sample.ticks for frame in above if frame.kind != "python"})

    def is_hot(self, function, pattern):
        """Whether one of the named ones was seen below the function."""
        return any(re.match(pattern, name) for name in self.names[function])

    def assert_hot(self, function, pattern):
        assert self.ticks[function] > 0, function
        assert self.is_hot(function, pattern), "%s: %s" % (function, self.names[function].most_common(20))


def record(start, interpreter, kind, folder, hot, holds=lambda recording: True):
    """Records until a name of each pattern of `hot` was seen below its function, and until `holds`."""
    # Several threads of OpenBLAS wait for each other actively: on a busy machine they do little else.
    target = start(interpreter, "native_libraries.py", kind, env={"OPENBLAS_NUM_THREADS": "1"})
    functions = target.says()["functions"]

    def is_enough(so_far):
        recording = JsonRecording(so_far)
        seen = Seen(recording, functions)
        return recording.ticks >= MIN_SAMPLES and all(seen.is_hot(*each) for each in hot.items()) and holds(recording)

    out = folder / "native.json"
    flametap.record_until(out, is_enough, "one of each of %s" % hot, "-p", target.pid, "-r", RATE_HZ, "--native")
    assert target.is_left_alone()
    recording = JsonRecording(json.loads(out.read_text()))
    recording.assert_merged()
    seen = Seen(recording, functions)
    for function, pattern in hot.items():
        seen.assert_hot(function, pattern)
    return recording


def test_standard_library(frame_kind, start, tmp_path):
    hot = {function: EXPORTED[function] for function in ("compress", "digest", "query")}
    interpreter_file = frame_kind.libpython if frame_kind.kind == "shared" else frame_kind.command[-1]
    if has_symbols(interpreter_file):
        hot.update({function: INTERNAL[function] for function in ("parse", "match")})
    assert_called_back(record(start, frame_kind, "standard", tmp_path, hot, called_back))


def assert_named_as_elfutils_does(target):
    """Stopped anywhere, every function for which elfutils knows a name has one of its names, and none is missing."""
    for _ in range(STOPS):
        with target.stopped():
            found = native_oracle.threads(target.pid)[target.pid]
            stack = Dumped(target.pid, "--native=full").stacks[target.pid]
        ours = [frame for frame in stack if frame.kind == "native"]
        assert len(ours) >= len(found.frames), shown(stack)
        for wanted, frame in zip(found.frames, ours):
            assert Path(frame.module).name == Path(wanted.module).name, shown(stack)
            assert not wanted.names or frame.name in wanted.names, "%s:\n%s" % (sorted(wanted.names), shown(stack))
        target.wait_until_it_computes()


def test_names_of_the_standard_library(frame_kind, start):
    target = start(frame_kind, "native_libraries.py", "standard")
    target.says()
    assert_named_as_elfutils_does(target)


def between(stack, caller, callee):
    """The frames between two Python functions of the target; None if they are not both on the stack, in this order."""
    names = [without_class(frame.name) if frame.kind == "python" else "" for frame in below(stack, caller)]
    return below(stack, caller)[: names.index(callee)] if callee in names else None


def called_back(recording):
    """The frames between `query` and `doubled` of each sample that has both; an unmerged one has none there."""
    found = [between(sample.stack, "query", "doubled") for sample in recording.samples()]
    return [frames for frames in found if frames is not None]


def assert_called_back(recording):
    """SQLite calls Python: the frame of `doubled` stands on those of SQLite, and they on `query`."""
    found = called_back(recording)
    assert found
    merged = [frames for frames in found if frames]
    assert len(found) - len(merged) <= without_c_stack(recording.quality)
    for frames in merged:
        assert "sqlite3_step" in [frame.name for frame in frames], shown(frames)


@pytest.fixture(params=["3.8", "3.13"])
def with_numpy(request):
    found = [each for each in pythons.equipped("numpy") if "%d.%d" % each.minor == request.param]
    if not found:
        pytest.skip("no numpy for %s here: tools/pythons fetch" % request.param)
    return found[0]


def test_numpy(with_numpy, start, tmp_path):
    hot = {function: EXPORTED[function] for function in ("decompose", "multiply")}
    if has_symbols(with_numpy.libpython):
        hot["sort_with_key"] = INTERNAL["sort_with_key"]
    recording = record(start, with_numpy, "numpy", tmp_path, hot)
    for sample in recording.samples():
        frames = between(sample.stack, "sort_with_key", "key") or ()
        assert all(is_of(frame, with_numpy) for frame in frames), shown(sample.stack)


def test_names_of_numpy(with_numpy, start):
    target = start(with_numpy, "native_libraries.py", "numpy", env={"OPENBLAS_NUM_THREADS": "1"})
    target.says()
    assert_named_as_elfutils_does(target)

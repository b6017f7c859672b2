"""Native frames stand where they belong between those of Python: every frame of targets/native_still.py is known, every
stack of targets/native_rounds.py is possible, and its shares of time are what it measured itself."""

import collections
import itertools
import statistics

import pytest

import extension
import flametap
import native_oracle
from native_stacks import INTERNAL, Dumped, Recording, is_of, shown, without_c_stack, without_class
from pythons import FULL
from target import TARGETS

SAMPLES = 3000
SAMPLES_OF_EACH = SAMPLES if FULL else SAMPLES // 2  # of three threads
RATE_HZ = 2000

Expected = collections.namedtuple("Expected", "kind name mark")


def python(name, mark=None):
    return Expected("python", name, mark or name)


def native(name, mark=None):
    return Expected("native", "truth::" + name, mark or name)


def inlined(name):
    return Expected("inlined", name, name.partition("<")[0])


BLOCKED = [Expected("kernel", "read", None), Expected("native", "syscall", None)]
STAND = BLOCKED + [native("stand"), native("entry_stand"), python("stand", "stand in Python")]
OUTER = [inlined("third<double>"), inlined("second<double>"), inlined("first<double>"), native("outer<double>", "outer"),
         native("entry_outer")]

# Innermost first.
STACKS = {
    "main": STAND + [python("main"), python("<module>", "module")],
    "nested": STAND + OUTER + [python("nested_call"), python("nested"), python("begin")],
    "again": STAND + [python("again", "again at last")] + (OUTER + [python("again")]) * 2 + [python("begin")],
    "diving": STAND + [native("dive", "dive bottom")] + [native("dive")] * 40 + [native("entry_dive")]
              + [python("diving"), python("begin")],
    "sorting": STAND + [python("key"), python("sorting"), python("begin")],
    "dying": STAND + [python("__del__"), native("drop"), native("entry_drop"), python("dying"), python("begin")],
    "generating": STAND + [python("inner_generator"), python("generator"), native("exhaust"), native("entry_exhaust"),
                           python("generating"), python("begin")],
    "ctypes_calls": STAND + [python("called_by_ctypes"), Expected("native", "truth_call_back", "truth_call_back"),
                             python("ctypes_calls"), python("begin")],
    "visited": STAND + [python("visited"), native("visit"), native("visitor_stands")],
    "alone": BLOCKED + [native("stand"), native("alone_stands")],
}

# Whose stacks have native frames that do work and are not ours: C functions of the interpreter, of ctypes and libffi.
OTHERS_WORK = ("sorting", "dying", "generating", "ctypes_calls")


READY = 16  # the bit in the state of a sample whose thread waited for a CPU


class Still:
    """native_still.py, standing still."""

    def __init__(self, interpreter, target):
        self.interpreter = interpreter
        self.target = target
        self._dumped = {}
        self.threads = target.says()["threads"]
        target.wait_until_still()
        found = native_oracle.threads(target.pid)
        # A libffi may describe its frames of callbacks wrongly: then nobody can tell who called them.
        self.lost = [name for name, number in self.threads.items() if not found[number].is_whole]
        assert set(self.lost) <= {"ctypes_calls"}

    def dumped(self, *options):
        """It stands still: once with the same options is enough."""
        if options not in self._dumped:
            self._dumped[options] = Dumped(self.target.pid, *options)
        return self._dumped[options]

    def dump(self, *options):
        """{scenario: frames}, innermost first; what C++ started without Python is `alone`."""
        dumped = self.dumped(*options)
        scenarios = {number: name for name, number in self.threads.items()}
        alone, = (number for number in dumped.threads if number not in scenarios)
        assert dumped.threads[alone]["ident"] is None and dumped.threads[alone]["interpreter"] is None
        scenarios[alone] = "alone"
        assert self.target.is_left_alone()
        return {scenarios[number]: frames for number, frames in dumped.stacks.items()}

    def is_others(self, frame):
        """Native, and neither of the extension nor the one function of C's library that it calls."""
        return frame.kind in ("native", "inlined") and not frame.module.endswith("flametap_truth.so") and (
            frame.name != "syscall")


@pytest.fixture
def still(native_python, start):
    return Still(native_python, start(native_python, "native_still.py", env=extension.in_environment(native_python)))


MARKS = {"python": extension.marks(TARGETS / "native_still.py"), "native": extension.marks(extension.SOURCE)}
MARKS["inlined"] = MARKS["native"]


def assert_same(expected, frames):
    """Kind and name of every frame."""
    names = [(f.kind, without_class(f.name) if f.kind == "python" else f.name) for f in frames]
    # An inlined function has no symbol: how much of its scope DWARF tells depends on the compiler.
    names = [(kind, name.rpartition("::")[2] if kind == "inlined" else name) for kind, name in names]
    assert names == [(each.kind, each.name) for each in expected], shown(frames)


def assert_what_is_left(expected, frames):
    """All frames of Python and, of the others, none that does not belong there."""
    assert_same([each for each in expected if each.kind == "python"], [f for f in frames if f.kind == "python"])
    rest = iter(without_class(each.name) for each in expected)
    assert all(without_class(frame.name) in rest for frame in frames if frame.kind != "inlined"), shown(frames)


def assert_lines(expected, frames, always):
    """The lines of Python, and those of C++ where they are told or `always`."""
    for wanted, frame in zip(expected, frames):
        if wanted.mark is None or (frame.kind != "python" and not always and frame.line == 0):
            continue
        assert frame.line == MARKS[wanted.kind][wanted.mark], shown([frame])
        assert frame.file.endswith(".py" if frame.kind == "python" else extension.SOURCE.name), shown([frame])


def check_every_frame_is_in_its_place(still):
    stacks = still.dump("--native")
    assert set(stacks) == set(STACKS)
    for scenario, frames in stacks.items():
        own = [frame for frame in frames if not still.is_others(frame)]
        expected = [each for each in STACKS[scenario] if each.kind != "inlined"]
        if scenario in still.lost:
            assert_what_is_left(expected, own)
            continue
        assert_same(expected, own)
        assert_lines(expected, own, always=False)


def check_inlined_calls(still):
    for scenario, frames in still.dump("--native", "--inlines").items():
        own = [frame for frame in frames if not still.is_others(frame)]
        if scenario in still.lost:
            assert_what_is_left(STACKS[scenario], own)
            continue
        assert_same(STACKS[scenario], own)
        assert_lines(STACKS[scenario], own, always=True)


def check_what_only_brings_calls_to_and_fro_is_folded(still):
    for scenario, frames in still.dump("--native").items():
        others = [frame for frame in frames if still.is_others(frame)]
        assert not [frame for frame in others if INTERNAL.match(frame.name)], shown(frames)
        if scenario not in OTHERS_WORK:
            assert not others, shown(frames)


def check_c_functions_of_the_interpreter_that_work_are_kept(still):
    frames = still.dump("--native")["sorting"]
    below = [without_class(frame.name) for frame in frames].index("key")
    work = [frame for frame in frames[below:] if still.is_others(frame)]
    assert all(is_of(frame, still.interpreter) for frame in work), shown(frames)
    if has_symbols(still.interpreter):
        assert any("sort" in frame.name for frame in work), shown(frames)


def has_symbols(interpreter):
    """Whether its file names functions that it does not export."""
    file = interpreter.libpython if interpreter.kind == "shared" else interpreter.command[-1]
    return b"\0builtin_sorted\0" in open(file, "rb").read()


def check_full_has_the_same_frames_and_what_is_between(still):
    folded, full = still.dump("--native"), still.dump("--native=full")
    for scenario, frames in full.items():
        rest = iter(frames)
        assert all(frame in rest for frame in folded[scenario]), shown(frames)
        assert len(frames) > len(folded[scenario])


def check_python_frames_are_those_without_native_ones(still):
    alone = {number: frames for number, frames in still.dumped().stacks.items() if frames}
    for option in ("--native", "--native=full"):
        merged = still.dumped(option).stacks
        assert {number: [f for f in merged[number] if f.kind == "python"] for number in alone} == alone


def test_what_stands_still(still):
    """One start of the target for all of it."""
    check_every_frame_is_in_its_place(still)
    check_inlined_calls(still)
    check_what_only_brings_calls_to_and_fro_is_folded(still)
    check_c_functions_of_the_interpreter_that_work_are_kept(still)
    check_full_has_the_same_frames_and_what_is_between(still)
    check_python_frames_are_those_without_native_ones(still)


# ---- Sampled ---------------------------------------------------------------------------------------------------------

# {the line of `loop`: what may stand above it, outermost first}; a stack may end anywhere in it.
CHAINS = {
    "alpha": ["truth::entry_alpha", "truth::alpha<unsigned long>"],
    "beta": ["truth::entry_beta", "truth::beta", "key", "truth::entry_gamma", "truth::gamma"],
    "delta": ["truth::entry_delta", "truth::delta"],
    "publish": ["truth::entry_publish", "truth::publish"],
}
HELPERS = ("truth::consume", "truth::none", "truth::none_if", "truth::account")  # which the entries call
TIMED = {"alpha": "truth::alpha<unsigned long>", "beta": "truth::beta", "delta": "truth::delta"}
VISITOR = ["truth::visitor_computes", "truth::visit", "visited", "truth::entry_alpha", "truth::alpha<unsigned long>"]

ROUND_MARKS = extension.marks(TARGETS / "native_rounds.py")
CLOCK_ERROR = 0.0005  # of a share: where within the reading of a clock its moment lies

COMPARISONS = len(TIMED) * 11  # interpreters
SIGMAS = statistics.NormalDist().inv_cdf(1 - 1e-7 / 2 / COMPARISONS)  # all of them together, by chance


def own_part(stack):
    """The stack without its innermost frames of C's library and of the interpreter, which ours called, and without the
    jump to them, which is in our module but has their name."""
    length = len(stack)
    while length and stack[length - 1].kind != "python" and not stack[length - 1].name.startswith("truth"):
        length -= 1
    return stack[:length]


def is_chain(frames, chain):
    """Whether they are a beginning of the chain; the innermost may be small helpers that entries call."""
    names = [frame.name for frame in frames]
    while names and names[-1] in HELPERS:
        names.pop()
    return names == chain[: len(names)]


def why_impossible(stack):
    """The reason why the main thread of native_rounds.py cannot have this stack, or None."""
    own = own_part(stack)
    names = [frame.name for frame in own]
    if names == ["<module>"]:
        return None  # it is about to call `loop`, or has just said that it will
    if names[:2] != ["<module>", "loop"]:
        return "not <module>, loop"
    for kind, chain in CHAINS.items():
        if own[1].line == ROUND_MARKS[kind]:
            return None if is_chain(own[2:], chain) else "not called from the line of " + kind
    return None if len(own) == 2 else "no call on line %d of loop" % own[1].line


class Rounds:
    """native_rounds.py, with what it measured since the first recording and what was sampled."""

    def __init__(self, target, counters):
        self.main = target.says()["threads"]["main"]
        self.target = target
        self.counters = counters
        counters.wait_for_progress()

    def record(self, folder, *options, samples=SAMPLES):
        """Enough samples of the main thread; asserts that nothing was lost or unmerged."""
        before = self.counters.read()
        recording = Recording(folder, "-p", self.target.pid, "-r", RATE_HZ, "-d", samples / RATE_HZ, "--mode", "wall",
                              *options)
        self.counters.wait_for_progress()
        self.spent = [now - then for now, then in zip(self.counters.read()[1:], before[1:])]
        recording.assert_merged()
        for loss in ("torn", "unreadable", "truncated"):
            assert recording.quality[loss] == 0, recording.quality
        return recording


@pytest.fixture
def rounds(start, counters):
    def begin(interpreter, *args):
        env = extension.in_environment(interpreter)
        return Rounds(start(interpreter, "native_rounds.py", counters.path, *args, env=env), counters)

    return begin


def assert_shares(rounds, recording):
    wall, all_wall, all_cpu = rounds.spent[:3], rounds.spent[6], rounds.spent[7]
    weight, seen = flametap.Weight(), collections.Counter()
    weight.add(dict(recording.json, samples=of_running(recording.json["samples"])))
    for sample in merged_samples(recording):
        names = {frame.name for frame in sample.stack}
        seen.update({kind: sample.weight_ns for kind, name in TIMED.items() if name in names})
    off_cpu = max(0, 1 - all_cpu / all_wall)
    for kind, wall_ns in zip(TIMED, wall):
        true, sampled = wall_ns / all_wall, seen[kind] / weight.ns
        sigma = weight.sigma(true)
        # Whom we stop we lengthen, and a deeper stack more than others: by less than all the time that it did not run.
        error = CLOCK_ERROR + off_cpu * true * (1 - true)
        print("%s: sampled %.4f, true %.4f +- %.4f, sigma %.4f" % (kind, sampled, true, error, sigma))
        assert abs(sampled - true) <= SIGMAS * sigma + error, kind


def of_running(samples):
    """Those columns of the json format without the samples of threads that waited for a CPU, and without time that has none."""
    wanted = [not state & READY and ticks for state, ticks in zip(samples["state"], samples["ticks"])]
    return {name: list(itertools.compress(column, wanted)) for name, column in samples.items()}


def is_bare(stack):
    return [frame.name for frame in stack] == ["<module>", "loop", "key"]


def merged_samples(recording):
    """Of an unmerged sample there is only what is Python's, and it is counted; so it is while a thread waits for a CPU."""
    bare = sum(sample.ticks for sample in recording.samples() if is_bare(sample.stack))
    assert bare <= without_c_stack(recording.quality)
    return [sample for sample in recording.samples()
            if sample.ticks and not sample.state & READY and not is_bare(sample.stack)]


def test_sampled_stacks_are_possible_and_shares_true(native_python, rounds, tmp_path):
    running = rounds(native_python)
    recording = running.record(tmp_path, "--native")
    for sample in merged_samples(recording):
        assert why_impossible(sample.stack) is None, "%s:\n%s" % (why_impossible(sample.stack), shown(sample.stack))
    assert_shares(running, recording)


def test_sampled_threads_that_python_did_not_start(frame_kind, rounds, tmp_path):
    running = rounds(frame_kind, "threads")
    seen = collections.defaultdict(collections.Counter)
    for sample in merged_samples(running.record(tmp_path, "--native", samples=SAMPLES_OF_EACH)):
        own = own_part(sample.stack)
        names = [frame.name for frame in own]
        if sample.thread["id"] == running.main:
            assert why_impossible(sample.stack) is None, shown(sample.stack)
        elif names[:1] == ["truth::alone_computes"]:
            assert names in (["truth::alone_computes"], ["truth::alone_computes", "truth::delta"]), shown(sample.stack)
        else:
            computes = names == ["truth::visitor_computes", "truth::delta"]
            assert computes or is_chain(own, VISITOR), shown(sample.stack)
        seen[sample.thread["id"]][names[-1] if names else ""] += sample.ticks
    assert len(seen) == 3, seen
    assert any(set(innermost) <= {"truth::delta", "truth::alone_computes"} for innermost in seen.values()), seen

"""bench/run without any profiler: the formats of the peers, the arithmetic of the truth, the report."""

import math
import random
import struct
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True, scope="module")
def bench_on_path():
    """Modules of bench/ and tests/runtime/ may have the same names: they are to be gone when others are tested."""
    before, path, written = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    sys.path.insert(0, str(ROOT / "bench"))
    sys.dont_write_bytecode = True
    yield
    sys.path[:], sys.dont_write_bytecode = path, written
    for name in set(sys.modules) - before:
        if str(ROOT / "bench") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def description(**more):
    import truth

    said = {"labels": ["short", "long", "work"], "label_of": "any",
            "possible": "<module>;work(;short(;tiny)?|;long)?", **more}
    return truth.Description(said, ["/srv/target.py"])


def stack(*names, file="/srv/target.py"):
    import truth

    return tuple(truth.Frame(name, file, 1) for name in names)


# What others write


FOLDED = """\
<module> (/srv/target.py:71);work (/srv/target.py:60);Account.run (/srv/cells.py:261);short (/srv/target.py:26) 98
<module> (/srv/target.py);<lambda> (a file with (signs).py:3) 2
(torn) 3
"""


def test_stacks_of_flametap_and_py_spy():
    from peers import folded
    from truth import Frame

    stacks, lost = folded.take_out(folded.read(FOLDED, folded.frame_in_parentheses), ("(torn)",))
    assert stacks[0] == ((Frame("<module>", "/srv/target.py", 71), Frame("work", "/srv/target.py", 60),
                          Frame("Account.run", "/srv/cells.py", 261), Frame("short", "/srv/target.py", 26)), 98)
    assert stacks[1][0] == (Frame("<module>", "/srv/target.py", 0), Frame("<lambda>", "a file with (signs).py", 3))
    assert lost == {"torn": 3}


def test_stacks_of_tachyon():
    from peers import folded, tachyon
    from truth import Frame

    stacks = folded.read("tid:7;target.py:<module>:71;target.py:work:60;<GC> 90\n", folded.frame_with_colons)
    assert stacks == [((Frame("tid:7"), Frame("<module>", "target.py", 71), Frame("work", "target.py", 60),
                        Frame("<GC>")), 90)]
    words = ("Captured 1,000 samples in 1.00 seconds\nSample rate: 9\nError rate: 4.10\n"
             "Warning: missed 53,931 samples from the expected\n")
    read = tachyon.recording(stacks, words)
    assert (read.samples, read.lost, read.said) == (90, {"errors": 41}, {"missed": 53931})


def mojo_integer(value):
    first, rest = value & 0x3F, value >> 6
    encoded = [first]
    while rest:
        encoded[-1] |= 0x80
        encoded.append(rest & 0x7F)
        rest >>= 7
    return bytes(encoded)


def mojo_file(samples):
    """As Austin 4 writes it: each frame is defined where it is met first, and stacks refer to frames, root first."""
    text = lambda word: word.encode() + b"\0"
    data = b"MOJ\x03" + b"\x01" + text("mode") + text("wall")
    known = {}
    for names, microseconds in samples:
        data += b"\x02" + mojo_integer(4711) + mojo_integer(0) + text("7066")
        for name in names:
            if name not in known:
                known[name] = 1000003 * (1 + len(known))
                data += b"\x0b" + mojo_integer(900 + len(known)) + text(name)
                data += b"\x0b" + mojo_integer(77) + text("/srv/target.py")
                data += b"\x03" + b"".join(map(mojo_integer, (known[name], 77, 900 + len(known), 21, 21, 9, 13)))
        data += b"".join(b"\x05" + mojo_integer(known[name]) for name in names) + b"\x09" + mojo_integer(microseconds)
    return data + b"\x01" + text("errors") + text("3/903") + b"\x01" + text("saturation") + text("2/903")


def test_stacks_of_austin():
    from peers import austin, mojo
    from truth import Frame

    assert mojo.Reader(bytes([0xC3, 0x02])).integer() == -131  # the example of its documentation
    data = mojo_file([(("<module>", "work"), 1000), (("<module>",), 3000), (("<module>", "work"), 1000)])
    read = austin.recording(data)
    root, work = Frame("<module>", "/srv/target.py", 21), Frame("work", "/srv/target.py", 21)
    assert dict(read.stacks) == {(root, work): 2000, (root,): 3000}
    assert (read.samples, read.lost, read.said) == (3, {"errors": 3}, {"late": 2})
    assert read.equal_samples == round(5000 ** 2 / 11e6)
    cut = austin.recording(data[:data.index(b"\x09" + mojo_integer(3000))])
    assert dict(cut.stacks) == {(root, work): 1000}
    with pytest.raises(ValueError):
        austin.recording(b"no such thing")


def test_stacks_of_austin_with_frames_that_it_could_not_read():
    from peers import austin

    data = mojo_file([(("<module>",), 1000)])
    invalid = b"\x02" + mojo_integer(1) + mojo_integer(0) + b"7\0" + b"\x04" + b"\x09" + mojo_integer(500)
    at = data.index(b"\x01errors")
    read = austin.recording(data[:at] + invalid + data[at:])
    assert read.lost == {"errors": 3, "invalid": 1}
    assert sum(weight for _, weight in read.stacks) == 1000


PERF = """\
python3.15  2578 64694.803659:    1000000 cpu-clock:
\t           459f0 [unknown] (/usr/bin/python3.15)
\t    7f7393b961ca py::short:/srv/target.py+0xa (/tmp/perf-2578.map)
\t          2093bd _PyFunction_Vectorcall+0x51d (/usr/bin/python3.15)
\t    7f7393b936ea py::<module>:/srv/target.py+0xa (/tmp/perf-2578.map)

python3.15  2578 64694.804653:    1000000 cpu-clock:
\t          1c1a9c PyEval_EvalCode+0x9c (/usr/bin/python3.15)
\t    7f7393b936ea py::<module>:/srv/target.py (/tmp/perf-2578.map)

"""
BPFTRACE = """\
Attaching 2 probes...


@[
\t5defe0 0x5defe0 ([unknown])
\t7f7393b963ea py::Class.method:/srv/target.py+10 (/tmp/perf-2578.map)
\t7f7393b936ea py::<module>:/srv/target.py+10 (/tmp/perf-2578.map)
]: 11
"""


def test_stacks_of_perf_and_bpftrace():
    from peers import perf
    from truth import TRUNCATED, Frame

    read = perf.recording(perf.perf_samples(PERF))
    root = Frame("<module>", "/srv/target.py")
    assert dict(read.stacks) == {(root, Frame("short", "/srv/target.py")): 1, (root,): 1}
    read = perf.recording(perf.bpftrace_samples(BPFTRACE))
    assert dict(read.stacks) == {(root, Frame("Class.method", "/srv/target.py")): 11}
    deep = perf.recording([(["py::f:/srv/target.py"] * perf.DEEPEST, 2)])
    assert deep.stacks[0][0][0].function == TRUNCATED and deep.lost == {"truncated": 2}


def test_cprofile_hands_time_to_callers():
    from peers import cprofile

    work, call, add = (("/srv/target.py", line, name) for line, name in ((2, "work"), (3, "call"), (4, "add")))
    stats = {work: (1, 1, 0.5, 4.0, {}),
             call: (2, 2, 1.0, 3.5, {work: (2, 2, 1.0, 3.5)}),
             add: (9, 9, 2.5, 2.5, {call: (6, 6, 2.0, 2.0), work: (3, 3, 0.5, 0.5)})}
    weights = {tuple(frame.function for frame in path): weight for path, weight in cprofile.stacks_of(stats)}
    assert weights == {("work",): 0.5, ("work", "call"): 1.0, ("work", "call", "add"): 2.0, ("work", "add"): 0.5}


def test_cprofile_finds_the_way_out_of_recursion():
    from peers import cprofile

    work, load, run = (("/srv/target.py", line, name) for line, name in ((1, "work"), (2, "load"), (3, "run")))
    stats = {work: (1, 1, 0.0, 4.0, {}),
             load: (1, 5, 1.0, 4.0, {work: (1, 1, 0.2, 4.0), run: (4, 4, 0.8, 3.0)}),
             run: (1, 5, 3.0, 3.9, {load: (5, 5, 3.0, 3.9)})}
    roots = {path[0].function for path, _ in cprofile.stacks_of(stats)}
    assert roots == {"work"}
    assert sum(weight for _, weight in cprofile.stacks_of(stats)) == pytest.approx(4.0)


class FakeInterpreter:
    minor, version, debug, env, command = (3, 15), "3.15.0", False, {}, ["python3.15"]

    @staticmethod
    def environment():
        return {}


class FakeKit:
    """Everything is there, and does nothing."""

    interpreters = [FakeInterpreter]

    @staticmethod
    def version_of(*_command):
        return "1.2"

    from_pypi = from_debian = staticmethod(lambda package, program=None: program or package)
    with_newest_libc = staticmethod(lambda program: [program])


def test_every_profiler_is_told_process_rate_and_file(monkeypatch, tmp_path):
    import command_line
    from peers.peer import Job

    monkeypatch.setenv("FLAMETAP", __file__)
    for kind in command_line.KINDS + command_line.MORE_KINDS:
        peer = kind(FakeKit)
        assert peer.name and peer.version and peer.how
        for rate in ("100", "max") if peer.rates else ("all",):
            job = Job(rate, 2, tmp_path / "profile", pid=4711, truth_file=tmp_path / "truth")
            if peer.why_not(FakeKit.interpreters[0], None, rate):
                continue
            command = " ".join(peer.attach(job)[0])
            assert "4711" in command and str(tmp_path / "profile") in command
            interval = {"austin": "10000"}.get(peer.name, "100")
            assert rate != "100" or interval in command


# The truth


def test_impossible_stacks():
    about = description(lines={"work": [1]})
    assert about.why_impossible(stack("<module>", "work", "short", "tiny")) is None
    assert about.why_impossible(stack("<module>", "work") + stack("run", file="/lib/x.py") + stack("long")) is None
    assert about.why_impossible(stack("<module>", "work", "long", "tiny")) == "no such stack"
    assert about.why_impossible(stack("work", "long")) == "no such stack"
    assert about.why_impossible(stack("(truncated)", "work", "tiny")) is None
    moved = [frame._replace(line=2) for frame in stack("<module>", "work", "long")]
    assert "line 2" in about.why_impossible(moved)
    assert about.why_impossible([frame._replace(line=0) for frame in moved]) is None  # the profiler has no lines
    assert about.why_impossible(moved[:2]) is None  # the innermost may be anywhere


def test_stacks_of_sleeping_threads_are_not_judged():
    foreign = stack("wait", file="/lib/threading.py")
    assert description().why_impossible(foreign) == "no such stack"
    assert description(threads=8).why_impossible(foreign) is None


def test_labels():
    about = description()
    assert about.label_of(stack("<module>", "work", "short", "tiny")) == "short"
    assert about.label_of(stack("<module>", "work")) == "work"
    assert about.label_of(stack("<module>")) is None
    assert about.label_of(stack("Class.work")) == "work"
    assert description(label_of="self").label_of(stack("work", "tiny")) is None
    assert about.label_times((9, 10, 20, 30)) == {"short": 10, "long": 20, "work": 30}
    assert description(cells={"short": [1, 3], "long": [2]}).label_times((9, 10, 20, 30)) == {"short": 40, "long": 20}
    with_wall = description(wall_cells={"short": [4], "long": [5], "work": [6]})
    assert with_wall.cell_count() == 7
    assert with_wall.label_times((9, 10, 20, 30, 11, 21, 31), wall=True) == {"short": 11, "long": 21, "work": 31}
    assert about.label_times((9, 10, 20, 30), wall=True) == {"short": 10, "long": 20, "work": 30}


def test_lines_that_share_a_cell():
    about = description(line_labels={"long:1": 4, "long:2": 4, "short:9": 5})
    assert about.cell_count() == 6
    assert about.line_label_of(stack("<module>", "work", "long")) == "4"
    assert about.line_label_of(stack("work")) is None
    assert about.line_times((0, 1, 2, 3, 40, 50)) == {"4": 40, "5": 50}


def test_distance():
    import truth

    assert truth.distance({"a": 0.5, "b": 0.5}, {"a": 0.4, "c": 0.6}) == pytest.approx(0.6)
    assert truth.shares({"a": 1, "b": 3}) == {"a": 0.25, "b": 0.75}
    assert truth.shares({"a": 0}) == {}


def test_noise_is_that_of_random_samples():
    import truth

    shares, samples, tries = {"a": 0.5, "b": 0.3, "c": 0.2}, 400, 300
    chance = random.Random(1)
    total = 0
    for _ in range(tries):
        drawn = chance.choices(list(shares), list(shares.values()), k=samples)
        total += truth.distance({name: drawn.count(name) / samples for name in shares}, shares)
    assert truth.expected_noise(shares, samples) == pytest.approx(total / tries, rel=0.1)


def test_timeline_between_snapshots():
    from timeline import Snapshot, Timeline

    timeline = Timeline()
    for time, progress in ((10, 0), (11, 100), (13, 500)):
        timeline.add(Snapshot(time, (progress, 2 * progress), time - 10.0, 0.0))
    passed = timeline.during(10.5, 12)
    assert (passed.time, passed.cells, passed.ran_s) == (1.5, (250, 500), 1.5)
    assert timeline.during(0, 99).cells == (500, 1000)  # what is outside is not known


# The figures


def turn(speed=90.0, samples=1000, labels=None, **more):
    return {"speed": speed, "running": 0.9, "waiting": 0.06, "alone": {"speed": 100.0, "running": 1.0, "waiting": 0.01},
            "samples": samples, "equal_samples": samples, "seconds": 1.0, "lost": {"torn": 1}, "said": {"missed": 2},
            "startup_s": 0.01, "own_cpu": 0.05, "memory_mb": 10.0, "output_bytes": 2048,
            "impossible": {"share": 0.01, "count": 10, "examples": []}, "labels": labels or {"a": 600, "b": 400},
            "truth": {"a": 0.5, "b": 0.5}, "without_label": 0.0, "edge": 0.0, **more}


def row(profiler="flametap", target="mixed", rate="1000", python="3.13", **more):
    return {"python": python, "target": target, "rate": rate, "profiler": profiler, "kind": "attach", "failed": "",
            "turns": [turn(), turn(speed=80.0, labels={"a": 400, "b": 600})], **more}


def test_summary_of_turns():
    import results

    figures = results.summary(row())
    assert figures["speed"] == pytest.approx(0.85)
    assert figures["speed_interval"] == (pytest.approx(0.8), pytest.approx(0.9))
    assert figures["stood_still"] == pytest.approx(0.1)
    assert figures["waiting"] == pytest.approx(0.05)
    assert figures["samples_per_s"] == 1000 and figures["got"] == 1
    assert figures["lost"] == {"torn": 2} and results.lost_share(figures) == pytest.approx(2 / 2002)
    assert figures["impossible"] == pytest.approx(0.01)
    assert figures["distance"] == pytest.approx(0)  # the turns err in opposite directions
    assert figures["noise"] == pytest.approx(math.sqrt(2 * 0.25 / (math.pi * 2000)))


def test_a_turn_counts_as_much_as_it_has_samples():
    import results

    turns = [turn(samples=3000, labels={"a": 1}), turn(samples=1000, labels={"b": 1})]
    assert results.distance_from_truth(turns)["sampled"] == {"a": 0.75, "b": 0.25}


def test_uncertain_edges_are_no_error_of_the_profiler():
    import results

    sharp, blurred = (results.distance_from_truth([turn(edge=edge)])["ratio"] for edge in (0.0, 0.1))
    assert sharp > 5 and blurred < 1.01


def test_disturbed_turns_count_only_for_want_of_better_ones():
    import results

    busy = {"speed": 100.0, "running": 0.7, "waiting": 0.3}
    mixed, hopeless = row(turns=[turn(), turn(speed=10.0, alone=busy)]), row(turns=[turn(speed=10.0, alone=busy)])
    assert results.summary(mixed)["speed"] == pytest.approx(0.9)
    assert results.summary(hopeless)["speed"] == pytest.approx(0.1)
    assert results.disturbance([mixed, hopeless]) == (3, 2, 1)


def test_few_samples_have_no_ratio():
    import results

    assert results.distance_from_truth([turn(samples=20)])["ratio"] is None


def test_results_of_several_runs_become_one():
    import results

    one, other = example_data(), example_data()
    other.update(rows=[row(target="flat")], missing={}, interpreters={"3.15": "3.15.0"})
    whole = results.merge([one, other])
    assert len(whole["rows"]) == len(one["rows"]) + 1
    assert whole["interpreters"] == {"3.13": "3.13.0", "3.15": "3.15.0"} and whole["missing"] == one["missing"]
    assert len(whole["startups"]) == 1


# The report


def example_data():
    targets = ("mixed", "deep-20-us", "deep-200-us")
    rows = [row(target=target, rate=rate) for target in targets for rate in ("100", "1000", "max")]
    rows += [row("cProfile", target, "all") for target in targets]
    for each in rows[-3:]:
        for figures in each["turns"]:
            del figures["impossible"], figures["own_cpu"], figures["memory_mb"]
    rows.append(row("tachyon", turns=[], failed="profiles only its | own version"))
    machine = {"cpu": "A CPU", "cpus": 2, "memory_gb": 8.0, "system": "Debian", "kernel": "6.1", "virtual": True}
    return {"date": "2026-01-01", "seconds": 1, "pin": False, "crowd": 0, "rows": rows, "machine": machine,
            "missing": {"py-spy": "pip: no network"}, "profilers": {"flametap": {"version": "1", "how": "as ever"}},
            "interpreters": {"3.13": "3.13.0"}, "targets": {},
            "not_measured": [{"python": "3.16", "target": "mixed", "reason": "no CPython 3.16"}],
            "startups": [{"profiler": "flametap", "python": "3.13", "startup_s": 0.02, "own_cpu_s": 0.01}]}


def test_report_has_everything():
    import documents

    text = documents.whole(example_data(), [("Speed", "speed.svg")])
    assert "| flametap | 3.13 | 0.85 | 0.85 | 10.0 % | 10.0 % | 1.00 % | 0.0 % (0.0 ×) | 5.0 % |" in text
    assert "| cProfile | 3.13 | 0.85 | 0.85 | 10.0 % | 10.0 % | – | 0.0 % | – |" in text
    assert "| tachyon | profiles only its \\| own version | 3.13 mixed 1000 |" in text
    assert "| py-spy | pip: no network | everywhere |" in text
    assert "no CPython 3.16" in text and "![Speed](speed.svg)" in text and "A CPU, 2 CPUs" in text
    for line in text.splitlines():  # whole tables
        assert not line.startswith("|") or line.endswith("|")


def test_tables_go_between_markers():
    import documents

    text = f"before\n{documents.BEGIN}\nold\n{documents.END}\nafter\n"
    once = documents.put_between_markers(text, "new")
    assert once == f"before\n{documents.BEGIN}\nnew\n{documents.END}\nafter\n"
    assert documents.put_between_markers(once, "new") == once
    with pytest.raises(ValueError):
        documents.put_between_markers("no markers", "new")


def test_documents_have_their_markers():
    import documents

    for name in ("README.md", "docs/accuracy.md"):
        documents.put_between_markers((ROOT / name).read_text(), "")


def test_everything_measured_by_default_exists():
    import plan

    for step in plan.WHOLE + plan.QUICK:
        assert all(plan.variant(name) for name in step.targets)
    with pytest.raises(SystemExit):
        plan.variant("no such target")


def test_cells_are_read_whole(tmp_path):
    import launching

    (tmp_path / "truth").write_bytes(struct.pack("<3q", 1, 2, 3))
    assert launching.read_cells(tmp_path / "truth") == (1, 2, 3)

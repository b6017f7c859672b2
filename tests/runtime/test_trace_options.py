"""Every option of `flametap trace` does what it says: filters, durations, summaries, recordings."""

import collections
import json
import re
from pathlib import Path

import pytest

import flametap
import tracing
from pythons import FULL
from target import TARGETS, wait_until

pytestmark = pytest.mark.usefixtures("ebpf")

TRACED = TARGETS / "traced.py"
ROOMY = ("--buffer", 256)
ROUNDS = 50  # of targets/traced.py in each of its threads


def traced(start, python, out, what, *options, events=("call",), folder=None, until=None):
    """What the target says of itself, and what flametap wrote; before its end it lives `until` something is so."""
    words = [TRACED, what] + ([folder] if folder else [])
    target, process = tracing.start_attached(start, python, words, out, events, *ROOMY, *options)
    said = target.says()
    if until:
        wait_until(lambda: process.poll() is not None or until(), "enough of it is written")
    target.tell("end")
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return said, Path(out).read_text()


def traced_jsonl(start, python, out, what, *options, **others):
    said, text = traced(start, python, out, what, "--format", "jsonl", *options, **others)
    trace = tracing.Trace(text)
    trace.assert_whole()
    return said, trace


def by_thread(trace):
    """{tid: {function: calls}}, and each call has its return."""
    calls, returns = (collections.defaultdict(collections.Counter) for _ in range(2))
    for event in trace.of("call", "return"):
        (calls if event["event"] == "call" else returns)[event["tid"]][event["function"]] += 1
    assert calls == returns
    return {tid: dict(counts) for tid, counts in calls.items()}


# What one round of targets/traced.py calls: in all, inside of handle() and inside of the outermost nested().
IN_ALL = {"outside": 2, "handle": 1, "nested": 4, "other": 7, "leaf": 13}
IN_HANDLE = {"handle": 1, "nested": 4, "other": 5, "leaf": 9}
IN_NESTED = {"nested": 4, "other": 4, "leaf": 8}


def times(rounds, counts, *names):
    return {name: rounds * count for name, count in counts.items() if name in (names or counts)}


def test_by_file_and_function(release_call_python, start, tmp_path):
    said, trace = traced_jsonl(start, release_call_python, tmp_path / "trace", "threads", "--file", r"/targets/traced\.py$",
                               "--function", "^(outside|handle|leaf)$")
    expected = times(ROUNDS, IN_ALL, "outside", "handle", "leaf")
    assert by_thread(trace) == {tid: expected for tid in said["tids"].values()}


def test_by_file(release_call_python, start, tmp_path):
    _, trace = traced_jsonl(start, release_call_python, tmp_path / "trace", "threads", "--file", "/picture.py$")
    assert set(event["file"] for event in trace.of("call")) == {str(TARGETS / "picture.py")}
    assert trace.counts("call", TARGETS / "picture.py") == {"kernel_id": 4, "say": 1}


@pytest.mark.parametrize("function, inside", [("handle", IN_HANDLE), ("nested", IN_NESTED), ("leaf", {"leaf": 13})],
                         ids=["handle", "nested", "leaf"])
def test_within(release_call_python, start, tmp_path, function, inside):
    """Also where it calls itself: until its outermost call ends."""
    said, trace = traced_jsonl(start, release_call_python, tmp_path / "trace", "threads", "--within", function)
    assert by_thread(trace) == {tid: times(ROUNDS, inside) for tid in said["tids"].values()}
    assert not trace.assert_balanced()
    outermost = {(event["function"], event["depth"]) for event in trace.of("call") if event["depth"] <= 0}
    assert outermost == {(function, 0)}


def test_within_and_function(release_call_python, start, tmp_path):
    said, trace = traced_jsonl(start, release_call_python, tmp_path / "trace", "threads", "--within", "nested", "--function",
                               "^(leaf|handle)$")
    assert by_thread(trace) == {tid: times(ROUNDS, IN_NESTED, "leaf") for tid in said["tids"].values()}


def test_nothing_is_within_a_function_that_is_never_called(usual_call_python, start, tmp_path):
    _, trace = traced_jsonl(start, usual_call_python, tmp_path / "trace", "threads", "--within", "neste")
    assert not trace.of("call", "return")


@pytest.mark.parametrize("pattern, names", [("^Worker-", ["Worker-1", "Worker-2"]), ("-2$", ["Worker-2"]),
                                            ("^Hél|^MainThread$", ["Hélper", "MainThread"])])
def test_by_thread(release_call_python, start, tmp_path, pattern, names):
    out = tmp_path / "trace"
    per_round = sum(IN_HANDLE.values())

    def all_is_written():
        # The last thing of each thread that is shown here.
        return out.read_bytes().count(b'"event":"return"') == ROUNDS * per_round * len(names)

    said, trace = traced_jsonl(start, release_call_python, out, "threads", "--thread", pattern, "--within", "handle",
                               until=all_is_written)
    assert by_thread(trace) == {said["tids"][name]: times(ROUNDS, IN_HANDLE) for name in names}


def test_by_thread_and_function(usual_call_python, start, tmp_path):
    out = tmp_path / "trace"
    said, trace = traced_jsonl(start, usual_call_python, out, "threads", "--thread", "Worker", "--function", "^handle$",
                               "--file", "traced", until=lambda: out.read_bytes().count(b'"return"') == 2 * ROUNDS)
    expected = times(ROUNDS, IN_ALL, "handle")
    assert by_thread(trace) == {said["tids"][name]: expected for name in ("Worker-1", "Worker-2")}


def test_by_the_id_of_a_thread(usual_call_python, start, tmp_path):
    target, process = tracing.start_attached(start, usual_call_python, [TRACED, "threads"], tmp_path / "trace", ["call"],
                                             "--format", "jsonl", "--thread", r"^[0-9]+$", "--within", "handle")
    said = target.says()
    target.tell("end")
    assert flametap.finish(process).code == flametap.DONE
    trace = tracing.Trace((tmp_path / "trace").read_text())
    assert set(by_thread(trace)) == set(said["tids"].values())


def test_no_thread_has_the_name_of_one_before(release_call_python, tmp_path):
    """Threads come and go all the time, and take idents and memory of others: a name may be missing, but not wrong."""
    out = tmp_path / "trace"
    command = [*release_call_python.command, TARGETS / "relay.py", 0.002, 1500 if FULL else 700, "three"]
    done = flametap.run("trace", "--function", "^f_", "--format", "chrome", "-o", out, *ROOMY, "--", *command,
                        env=release_call_python.environment())
    assert done.code == flametap.DONE, done
    names, called = {}, {}
    for event in json.loads(out.read_text()):
        if event["ph"] == "M" and event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"].split()[0]
        elif event["ph"] == "B":
            called[event["tid"]] = event["name"].split()[0]
    named = [tid for tid in called if names[tid].startswith("thr-")]
    assert named
    assert [names[tid][len("thr-"):] for tid in named] == [called[tid][len("f_"):] for tid in named]


def shown(name):
    """As a name is shown: whole, or as much as fits into 4 KiB."""
    if len(name.encode()) < 4095:
        return name
    return name.encode()[:4095].decode(errors="ignore") + "…"


def test_names_of_every_kind(release_call_python, start, tmp_path):
    said, trace = traced_jsonl(start, release_call_python, tmp_path / "trace", "names")
    for kind in ("call", "return"):
        counts = collections.Counter((event["file"], event["function"]) for event in trace.of(kind))
        for file, function in said["made"]:
            assert counts[shown(file), shown(function)] == 3, (file[:20], function[:20])


@pytest.mark.parametrize("option, pattern, chosen", [
    ("--function", "^n+$", lambda file, function: function.startswith("nnn")),
    ("--function", "名", lambda file, function: "名" in function),
    ("--file", "^x", lambda file, function: file.startswith("xxx")),
    ("--file", "/größe/", lambda file, function: "größe" in file),
], ids=["long function", "function", "long file", "file"])
def test_filters_of_names_of_every_kind(usual_call_python, start, tmp_path, option, pattern, chosen):
    """Those that are too long to be judged in the kernel, too."""
    said, trace = traced_jsonl(start, usual_call_python, tmp_path / "trace", "names", option, pattern)
    expected = {(shown(file), shown(function)): 3 for file, function in said["made"] if chosen(file, function)}
    assert expected
    for kind in ("call", "return"):
        calls = [event for event in trace.of(kind) if event["function"] != "<module>"]
        assert collections.Counter((event["file"], event["function"]) for event in calls) == expected


def pairs_of(trace, functions):
    """(function, when it began, when it ended) of each call."""
    open_calls, pairs = [], []
    for event in trace.of("call", "return"):
        if event["function"] not in functions:
            continue
        if event["event"] == "call":
            open_calls.append(event)
        else:
            call = open_calls.pop()
            assert call["function"] == event["function"]
            pairs.append((call["function"], call["time_ns"], event["time_ns"]))
    assert not open_calls
    return pairs


def test_only_long_calls(release_call_python, start, tmp_path):
    said, trace = traced_jsonl(start, release_call_python, tmp_path / "trace", "durations", "--min-duration", 40)
    brackets = said["brackets"]
    pairs = pairs_of(trace, {function for function, _, _ in brackets})
    for function, began, ended in pairs:
        assert ended - began >= 40e6
        assert any(name == function and before <= began and ended <= after for name, before, after in brackets)
    counts = collections.Counter(function for function, _, _ in pairs)
    assert (counts["slow"], counts["around_slow"]) == (10, 5)
    # As many as did take so long; on a good day none.
    for name in ("quick", "around_quick"):
        assert counts[name] <= sum(each == name and after - before >= 40e6 for each, before, after in brackets)


UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
DURATION = r" +~?([0-9.]+ (?:%s))" % "|".join(UNITS)
Row = collections.namedtuple("Row", "calls total self average p50 p99 max function file line")
ROW = re.compile(r" *([0-9,]+)" + 6 * DURATION + r"  (\S+)  (\S+?)(?::([0-9]+))?")
ROUNDED = 1.006  # to three digits


def nanoseconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def summary_of(text):
    found = [ROW.fullmatch(line) for line in text.splitlines()]
    for row in (Row(*each.groups()) for each in found if each):
        yield row._replace(calls=int(row.calls.replace(",", "")),
                           **{key: nanoseconds(getattr(row, key)) for key in Row._fields[1:7]})


def test_summary(release_call_python, start, tmp_path):
    said, text = traced(start, release_call_python, tmp_path / "trace", "measure", "--summary")
    rows = list(summary_of(text))
    for row in rows:
        assert row.total >= row.self, row
        assert row.p50 <= row.p99 <= row.max <= row.total * ROUNDED, row
    mine = {row.function: row for row in rows if row.file == str(TRACED)}
    assert {name: mine[name].calls for name in said["calls"]} == said["calls"]
    assert said["inner"] / ROUNDED <= mine["measured"].total <= said["outer"] * ROUNDED
    # It calls itself, and that time counts once.
    assert 15 * 5e6 / ROUNDED <= mine["deep"].self <= mine["deep"].total <= mine["measured"].total * ROUNDED
    assert re.search(r"^[0-9,]+ events in .*, 0 lost$", text, re.MULTILINE)


def test_a_recording_for_reports(release_call_python, start, tmp_path):
    """Its times are those that the program measures, right inside and right outside of a function."""
    recording = tmp_path / "trace.ftap"
    target, process = tracing.start_attached(start, release_call_python, [TRACED, "measure"], recording, ["call"], *ROOMY)
    said = target.says()
    target.tell("end")
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    report = flametap.run("report", recording, "-f", "folded", "-o", "-")
    assert report.code == flametap.DONE, report
    folded = flametap.Folded(report.out.decode())
    inside = {stack: count for stack, count in folded.stacks.items() if "measured" in [frame.name for frame in stack]}
    slack = len(inside)  # each is in whole microseconds
    assert said["inner"] / 1000 - slack <= sum(inside.values()) <= said["outer"] / 1000 + slack
    depths = {[frame.name for frame in stack].count("deep") for stack in inside}
    assert depths == {0, 1, 2, 3, 4, 5}


def test_a_trace_for_perfetto_has_the_times(release_call_python, start, tmp_path):
    said, text = traced(start, release_call_python, tmp_path / "trace.json", "measure")
    calls = collections.Counter()
    open_events, total = [], 0
    for event in json.loads(text):
        if event["ph"] == "B":
            open_events.append(event)
            calls[event["name"]] += 1
        elif event["ph"] == "E":
            begin = open_events.pop()
            total += (event["ts"] - begin["ts"]) * 1000 if begin["name"] == "measured" else 0
    assert not open_events
    assert {name: calls[name] for name in said["calls"]} == said["calls"]
    assert said["inner"] - 1000 <= total <= said["outer"] + 1000


def test_collections_and_where_they_happen(marked_minor_python, start, tmp_path):
    _, trace = traced_jsonl(start, marked_minor_python, tmp_path / "trace", "collect", events=["gc"])
    assert [event["event"] for event in trace.events if event["event"] != "thread_end"] == ["gc_start", "gc_done"] * 3
    for event in trace.of("gc_start", "gc_done"):
        assert (event["function"], event["file"]) == ("collects", str(TRACED))


@pytest.fixture
def modules(tmp_path):
    """A folder with two modules, one of which imports the other; that takes 20 ms."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "flametap_outer.py").write_text("import flametap_inner\n")
    (folder / "flametap_inner.py").write_text("import time\ntime.sleep(0.02)\n")
    return folder


def test_imports_and_how_long_they_take(marked_minor_python, start, modules, tmp_path):
    said, trace = traced_jsonl(start, marked_minor_python, tmp_path / "trace", "import", events=["import"], folder=modules)
    ours = [event for event in trace.of("import_start", "import_done") if event["module"].startswith("flametap_")]
    assert [(event["event"], event["module"], event.get("found")) for event in ours] == [
        ("import_start", "flametap_outer", None), ("import_start", "flametap_inner", None),
        ("import_done", "flametap_inner", True), ("import_done", "flametap_outer", True),
        ("import_start", "flametap_missing", None), ("import_done", "flametap_missing", False)]
    outer, inner, inner_end, outer_end = (event["time_ns"] for event in ours[:4])
    assert 20e6 <= inner_end - inner <= outer_end - outer <= said["outer"]


def test_imports_as_a_tree(marked_minor_python, start, modules, tmp_path):
    _, text = traced(start, marked_minor_python, tmp_path / "trace", "import", "--format", "tree", events=["import"],
                     folder=modules)
    seen = re.findall(r"( *)([→←↔]) import (flametap_\w+(?:: not found)?)", text)
    # What has ended by the time it is written is one line; else its beginning and its end are.
    ends = [(len(indent), what) for indent, sign, what in seen if sign != "→"]
    (inner, inner_name), (outer, outer_name), (_, missing_name) = ends
    assert [inner_name, outer_name, missing_name] == ["flametap_inner", "flametap_outer", "flametap_missing: not found"]
    assert inner == outer + 2


def test_a_summary_of_imports(marked_minor_python, start, modules, tmp_path):
    said, text = traced(start, marked_minor_python, tmp_path / "trace", "import", "--summary", events=["import"],
                        folder=modules)
    rows = re.findall(r"^ *([0-9]+) +([0-9.]+ \w+) +([0-9.]+ \w+)  ( *)(flametap_\w+)(  \(1 not found\))?$", text,
                      re.MULTILINE)
    rows = {module: (int(count), nanoseconds(total), nanoseconds(own), len(indent), bool(missing))
            for count, total, own, indent, module, missing in rows}
    outer, inner, missing = (rows["flametap_" + name] for name in ("outer", "inner", "missing"))
    assert [row[0] for row in (outer, inner, missing)] == [1, 1, 1]
    assert 20e6 / ROUNDED <= inner[1] <= outer[1] <= said["outer"] * ROUNDED
    assert (outer[3], inner[3], missing[3]) == (0, 2, 0)
    assert (outer[4], inner[4], missing[4]) == (False, False, True)


def test_several_processes(release_call_python, usual_call_python, start, tmp_path):
    """Also of different Pythons. It ends with the last of them."""
    targets = [start(python, TRACED, "threads") for python in (release_call_python, usual_call_python)]
    for target in targets:
        target.says()
    marks = [tracing.marks_of(target, python) for target, python in zip(targets, (release_call_python, usual_call_python))]
    process = flametap.start("trace", "-p", targets[0].pid, "-p", targets[1].pid, "--format", "jsonl", "-o",
                             tmp_path / "trace", *ROOMY)
    for each in marks:
        each.wait_until_armed("call")
    # Its output is there once it watches both.
    wait_until(lambda: process.poll() is not None or (tmp_path / "trace").exists(), "it is attached to both")
    for target in targets:
        target.tell("go")
        target.says()
        assert process.poll() is None
        target.tell("end")
        target.reap()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    trace = tracing.Trace((tmp_path / "trace").read_text())
    trace.assert_whole()
    for target in targets:
        calls = collections.Counter(event["function"] for event in trace.of("call") if event["pid"] == target.pid)
        assert {name: calls[name] for name in IN_ALL} == times(4 * ROUNDS, IN_ALL)

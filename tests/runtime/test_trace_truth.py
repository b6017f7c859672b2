"""`flametap trace` sees every single call, line, collection, import and audit event: as many as the program itself."""

import collections
import json
import subprocess

import pytest

import flametap
import pythons
import tracing
from target import PATIENCE_S, TARGETS

pytestmark = pytest.mark.usefixtures("ebpf")

CALLS = TARGETS / "calls.py"
MANY_ROUNDS = 7000 if pythons.FULL else 2000  # of about 150 calls: a million of them, or 300,000
# All rounds are alike. What many of them add, that buffers fill and threads meet in ever other places, is for the test of very
# many calls.
ROUNDS = 1000 if pythons.FULL else 400
FEW_ROUNDS = 500 if pythons.FULL else 200  # of a debug build, or line by line

# Room for all events of these tests at once: then nothing can be lost, however late flametap gets its turn.
ROOMY = ("--buffer", 512)


def counted_inside(start, interpreter, *words):
    """What a target counted by itself, in a run that nobody traces."""
    target = start(interpreter, *words)
    target.says()
    target.tell("go")
    said = target.says()
    assert target.reap() == 0
    return said


def check_every_call(start, python, rounds, out):
    expected = counted_inside(start, python, CALLS, "profiled", rounds)
    assert sum(expected["calls"].values()) > 140 * rounds
    trace = tracing.trace(start, python, [CALLS, "plain", rounds], out, ["call"], *ROOMY)
    trace.assert_whole()
    assert trace.counts("call", CALLS) == expected["calls"]
    assert trace.counts("return", CALLS) == expected["returns"]


def test_every_call_is_seen(call_python, start, tmp_path):
    check_every_call(start, call_python, FEW_ROUNDS if call_python.debug else ROUNDS, tmp_path / "trace")


def test_very_many_calls_are_seen(usual_call_python, start, tmp_path):
    check_every_call(start, usual_call_python, MANY_ROUNDS, tmp_path / "trace")


def test_after_what_was_open_is_left(call_python, start, tmp_path):
    """Calls that had begun before the trace and end in it do not change how later ones are read."""
    words = [CALLS, "plain", 50, 30]
    expected = counted_inside(start, call_python, CALLS, "profiled", *words[2:])
    assert expected["returns"]["wait"] == 31
    trace = tracing.trace(start, call_python, words, tmp_path / "trace", ["call"], *ROOMY)
    trace.assert_whole()
    assert trace.counts("call", CALLS) == expected["calls"]
    assert trace.counts("return", CALLS) == expected["returns"]


def test_from_the_first_call_on(call_python, start, tmp_path):
    """Of a program that is started for it, nothing is missing either."""
    out = tmp_path / "trace"
    expected = counted_inside(start, call_python, CALLS, "profiled", 50)
    done = flametap.run("trace", "--events", "call", "--format", "jsonl", "-o", out, "--", *call_python.command, CALLS,
                        "plain", 50, env=call_python.environment())
    assert done.code == flametap.DONE, done
    trace = tracing.Trace(out.read_text())
    trace.assert_whole()
    begun = {"<module>": 1, "main": 1, "wait": 1, "Thing": 1, "Once": 1}
    assert trace.counts("call", CALLS) == {**expected["calls"], **begun}


def lines_by_bpftrace(path):
    """{(function, line): count}, as bpftrace wrote it down."""
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    counts = next(row["data"]["@"] for row in rows if row["type"] == "map")
    return {(key.rpartition(",")[0], int(key.rpartition(",")[2])): count for key, count in counts.items()}


# After exceptions, and where generators and comprehensions go on, the marker and settrace() disagree on what is a new
# line. In these functions they do not.
SAME_LINES = ("plain", "with_defaults", "recursive", "ping", "pong", "method", "things", "add", "comprehensions", "one_round",
              "rounds", "__lt__", "__del__")


def test_every_line_is_seen(line_python, start, tmp_path):
    """As many as bpftrace counts at the same marker in the same run, and as many as settrace() tells of."""
    expected = counted_inside(start, line_python, CALLS, "stepped", FEW_ROUNDS)
    target = start(line_python, CALLS, "plain", FEW_ROUNDS)
    target.says()
    marks, second_opinion = tracing.marks_of(target, line_python), tmp_path / "bpftrace"
    program = "usdt:%s:python:line { @[str(arg1), arg2] = count(); }" % tracing.marked_file(line_python)
    bpftrace = subprocess.Popen(["bpftrace", "-f", "json", "-o", second_opinion, "-p", str(target.pid), "-e", program])
    try:
        marks.wait_until_armed("line")
        process = flametap.start("trace", "-p", target.pid, "--events", "call,line", "--format", "jsonl", "-o",
                                 tmp_path / "trace", *ROOMY)
        tracing.wait_until_attached(process, "call", "line")
        target.tell("go")
        done = flametap.finish(process)
        assert bpftrace.wait(PATIENCE_S) == 0
    finally:
        bpftrace.kill()
        bpftrace.wait()
    assert done.code == flametap.DONE, done
    trace = tracing.Trace((tmp_path / "trace").read_text())
    trace.assert_whole()
    assert trace.counts("call", CALLS) == expected["calls"]
    seen = collections.Counter((event["function"], event["line"]) for event in trace.of("line"))
    assert seen == lines_by_bpftrace(second_opinion)
    chosen = {key: count for key, count in expected["lines"].items() if key.split(":")[0] in SAME_LINES}
    lines = trace.counts("line", CALLS, lambda event: "%s:%d" % (event["function"], event["line"]))
    assert {key: count for key, count in lines.items() if key.split(":")[0] in SAME_LINES} == chosen


def test_a_function_by_its_name(call_python, start, tmp_path):
    expected = counted_inside(start, call_python, CALLS, "profiled", FEW_ROUNDS)
    trace = tracing.trace(start, call_python, [CALLS, "plain", FEW_ROUNDS], tmp_path / "trace", ["call"], *ROOMY,
                          "--function", "^(plain|raises)$")
    trace.assert_whole()
    chosen = {name: expected["calls"][name] for name in ("plain", "raises")}
    assert trace.counts("call", CALLS) == trace.counts("return", CALLS) == chosen
    assert {event["function"] for event in trace.of("call")} == set(chosen)


def test_every_collection_is_seen(event_python, start, tmp_path):
    words = [TARGETS / "markers.py"]
    expected = counted_inside(start, event_python, *words, "counted", "gc")["seen"]
    trace = tracing.trace(start, event_python, [*words, "plain", "gc"], tmp_path / "trace", ["gc"])
    trace.assert_whole()
    seen = [[event["event"], event.get("generation", event.get("collected"))] for event in trace.of("gc_start", "gc_done")]
    assert seen == expected


def test_every_import_is_seen(event_python, start, tmp_path):
    words = [TARGETS / "markers.py"]
    expected = counted_inside(start, event_python, *words, "counted", "import")["seen"]
    trace = tracing.trace(start, event_python, [*words, "plain", "import"], tmp_path / "trace", ["import"])
    trace.assert_whole()
    seen = [[event["event"], event["module"]] + ([event["found"]] if "found" in event else [])
            for event in trace.of("import_start", "import_done")]
    assert seen == expected
    assert ["import_done", "no_such_module", False] in seen


def between(events):
    names = [name for name, _ in events]
    return events[names.index("flametap.begin"):names.index("flametap.end") + 1]


def test_every_audit_event_is_seen(event_python, start, tmp_path):
    words = [TARGETS / "markers.py"]
    expected = between(counted_inside(start, event_python, *words, "counted", "audit")["seen"])
    trace = tracing.trace(start, event_python, [*words, "plain", "audit"], tmp_path / "trace", ["audit"])
    trace.assert_whole()
    seen = between([[event["name"], event["arguments"]] for event in trace.of("audit")])
    assert [name for name, _ in seen] == [name for name, _ in expected]
    for (name, arguments), (_, shown) in zip(expected, seen):
        assert arguments is None or shown == arguments, name

"""`flametap trace` sees every single call, line, collection, import and audit event: as many as the program itself."""

import pytest

import flametap
import tracing
from target import TARGETS

pytestmark = pytest.mark.usefixtures("ebpf")

CALLS = TARGETS / "calls.py"
ROUNDS = 7000  # of about 150 calls
FEW_ROUNDS = 500  # of a debug build, or line by line

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


def test_every_call_is_seen(call_python, start, tmp_path):
    rounds = FEW_ROUNDS if call_python.debug else ROUNDS
    expected = counted_inside(start, call_python, CALLS, "profiled", rounds)
    assert sum(expected["calls"].values()) > 140 * rounds
    trace = tracing.trace(start, call_python, [CALLS, "plain", rounds], tmp_path / "trace", ["call"], *ROOMY)
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
    begun = {"<module>": 1, "main": 1, "Thing": 1, "Once": 1}
    assert trace.counts("call", CALLS) == {**expected["calls"], **begun}


def test_every_line_is_seen(line_python, start, tmp_path):
    expected = counted_inside(start, line_python, CALLS, "stepped", FEW_ROUNDS)
    trace = tracing.trace(start, line_python, [CALLS, "plain", FEW_ROUNDS], tmp_path / "trace", ["call", "line"], *ROOMY)
    trace.assert_whole()
    assert trace.counts("call", CALLS) == expected["calls"]
    lines = trace.counts("line", CALLS, lambda event: "%s:%d" % (event["function"], event["line"]))
    # Of what runs already, settrace() does not tell.
    assert {key: count for key, count in lines.items() if not key.startswith("main:")} == expected["lines"]


def test_a_function_by_its_name(call_python, start, tmp_path):
    expected = counted_inside(start, call_python, CALLS, "profiled", FEW_ROUNDS)
    trace = tracing.trace(start, call_python, [CALLS, "plain", FEW_ROUNDS], tmp_path / "trace", ["call"], *ROOMY,
                          "--function", "^(plain|raises)$")
    trace.assert_whole()
    chosen = {name: expected["calls"][name] for name in ("plain", "raises")}
    assert trace.counts("call", CALLS) == trace.counts("return", CALLS) == chosen
    assert {event["function"] for event in trace.of("call")} == set(chosen)


def test_every_collection_is_seen(marked_python, start, tmp_path):
    words = [TARGETS / "markers.py"]
    expected = counted_inside(start, marked_python, *words, "counted", "gc")["seen"]
    trace = tracing.trace(start, marked_python, [*words, "plain", "gc"], tmp_path / "trace", ["gc"])
    trace.assert_whole()
    seen = [[event["event"], event.get("generation", event.get("collected"))] for event in trace.of("gc_start", "gc_done")]
    assert seen == expected


def test_every_import_is_seen(marked_python, start, tmp_path):
    words = [TARGETS / "markers.py"]
    expected = counted_inside(start, marked_python, *words, "counted", "import")["seen"]
    trace = tracing.trace(start, marked_python, [*words, "plain", "import"], tmp_path / "trace", ["import"])
    trace.assert_whole()
    seen = [[event["event"], event["module"]] + ([event["found"]] if "found" in event else [])
            for event in trace.of("import_start", "import_done")]
    assert seen == expected
    assert ["import_done", "no_such_module", False] in seen


def between(events):
    names = [name for name, _ in events]
    return events[names.index("flametap.begin"):names.index("flametap.end") + 1]


def test_every_audit_event_is_seen(marked_python, start, tmp_path):
    words = [TARGETS / "markers.py"]
    expected = between(counted_inside(start, marked_python, *words, "counted", "audit")["seen"])
    trace = tracing.trace(start, marked_python, [*words, "plain", "audit"], tmp_path / "trace", ["audit"])
    trace.assert_whole()
    seen = between([[event["name"], event["arguments"]] for event in trace.of("audit")])
    assert [name for name, _ in seen] == [name for name, _ in expected]
    for (name, arguments), (_, shown) in zip(expected, seen):
        assert arguments is None or shown == arguments, name

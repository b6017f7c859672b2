"""In a trace every call has its end, however it ended, in every format; and however the program ended."""

import collections
import json
import os
import re
import signal

import pytest

import flametap
import tracing
from target import TARGETS

pytestmark = pytest.mark.usefixtures("ebpf")

CODES = {"return": 0, "exit": 7, "raise": 1, "_exit": 7}
ORDERLY = ("return", "exit", "raise")
ROOMY = ("--buffer", 256)


def start_one(start, python, out, how, *options):
    return tracing.start_attached(start, python, [TARGETS / "endings.py", how], out, ["call"], *ROOMY, *options)


def finish_one(process, out):
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return out.read_text()


def traced(start, python, out, how, *options):
    target, process = start_one(start, python, out, how, *options)
    if how == "stay":
        target.says()
        os.kill(target.pid, signal.SIGKILL)
    text = finish_one(process, out)
    assert target.reap() == CODES.get(how, -signal.SIGKILL)
    return target, text


@pytest.mark.parametrize("how", [*CODES, "stay"])
def test_every_call_has_its_return(call_python, start, tmp_path, how):
    target, text = traced(start, call_python, tmp_path / "trace", how, "--format", "jsonl")
    trace = tracing.Trace(text)
    trace.assert_whole()
    still_open = trace.assert_balanced()
    names = {tid: [call["function"] for call in calls] for tid, calls in still_open.items()}
    if how in ORDERLY:
        assert not names
        return
    last = {"_exit": "leave_at_once", "stay": "stay"}[how]
    main = names.pop(target.pid)
    assert main[:52] == ["deep"] * 51 + [last], main
    assert len(names) == 3 and all("rounds_for_good" in calls for calls in names.values()), names


@pytest.mark.parametrize("how", [*CODES, "stay"])
def test_a_trace_for_perfetto_is_balanced(usual_call_python, start, tmp_path, how):
    _, text = traced(start, usual_call_python, tmp_path / "trace", how, "--format", "chrome")
    open_names = collections.defaultdict(list)
    for event in json.loads(text):
        if event["ph"] == "B":
            open_names[event["tid"]].append(event["name"])
        elif event["ph"] == "E":
            open_names[event["tid"]].pop()
    assert open_names and not any(open_names.values())


# A line of the tree: thread, seconds, duration if it is known, blanks by depth, what happened.
TREE = re.compile(r" *(?P<tid>[0-9]+) (?P<thread>.{16}) +[0-9]+\.[0-9]{6} (?P<duration>.{9}) (?P<indent> *)"
                  r"(?P<sign>[→←…]) (?P<function>\S+)")


@pytest.mark.parametrize("how", ORDERLY)
def test_a_tree_is_balanced(usual_call_python, start, tmp_path, how):
    _, text = traced(start, usual_call_python, tmp_path / "trace", how, "--format", "tree")
    open_calls = collections.defaultdict(list)
    begun = set()
    for line in text.splitlines():
        found = TREE.match(line)
        if not found or "began before the trace" in line:
            continue
        calls, indent, function = open_calls[found["tid"]], len(found["indent"]) // 2, found["function"]
        begun.add(function)
        assert found["sign"] != "…", line
        if found["sign"] == "←":
            assert calls.pop() == (indent, function), line
            continue
        assert indent == len(calls), line
        if not found["duration"].strip():  # else it is both beginning and end
            calls.append((indent, function))
    assert {"leaf", "numbers", "fails", "one_round", "deep"} <= begun
    assert not any(open_calls.values())

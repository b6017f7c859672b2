"""`--format dtrace` and `--format stap` are what the scripts of CPython's documentation print, line by line."""

import re
from pathlib import Path

import pytest

import flametap
import tracing
from target import TARGETS

pytestmark = pytest.mark.usefixtures("ebpf")

# What the documentation shows for its call_stack.py, and what targets/call_stack.py does: depth, function, line.
SHOWN = """
function-entry:call_stack.py:start:23
function-entry: call_stack.py:function_1:1
function-entry:  call_stack.py:function_3:9
function-return:  call_stack.py:function_3:10
function-return: call_stack.py:function_1:2
function-entry: call_stack.py:function_2:5
function-entry:  call_stack.py:function_1:1
function-entry:   call_stack.py:function_3:9
function-return:   call_stack.py:function_3:10
function-return:  call_stack.py:function_1:2
function-return: call_stack.py:function_2:6
function-entry: call_stack.py:function_3:9
function-return: call_stack.py:function_3:10
function-entry: call_stack.py:function_4:13
function-return: call_stack.py:function_4:14
function-entry: call_stack.py:function_5:18
function-return: call_stack.py:function_5:21
function-return:call_stack.py:start:28
""".split("\n")[1:-1]

# printf("%d\t%*s:", timestamp, 15, probename); printf("%*s", self->indent, ""); printf("%s:%s:%d\n", ...)
DTRACE = re.compile(r"(?P<time>[0-9]+)\t(?: function-entry|function-return):(?P<indent> *)(?P<file>[^/:]+):(?P<function>[^:]+):"
                    r"(?P<line>[0-9]+)")
# printf("%s => %s in %s:%d\n", thread_indent(1), funcname, filename, lineno)
STAP = re.compile(r" *(?P<time>[0-9]+) (?P<program>[^()]+)\((?P<id>[0-9]+)\):(?P<indent> *) (?P<arrow>=>|<=) "
                  r"(?P<function>\S+) in (?P<file>.+):(?P<line>[0-9]+)")


def traced(start, python, out, *options):
    target, process = tracing.start_attached(start, python, [TARGETS / "call_stack.py"], out, ["call"], *options)
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return target, Path(out).read_text().splitlines()


def test_the_call_stack_of_the_documentation(call_python, start, tmp_path):
    _, lines = traced(start, call_python, tmp_path / "trace", "--format", "dtrace", "--within", "start")
    assert all(DTRACE.fullmatch(line) for line in lines), lines
    assert [line.split("\t")[1].lstrip(" ") for line in lines] == SHOWN
    times = [int(DTRACE.fullmatch(line)["time"]) for line in lines]
    assert times == sorted(times)


def test_the_call_hierarchy_of_the_documentation(call_python, start, tmp_path):
    target, lines = traced(start, call_python, tmp_path / "trace", "--format", "stap", "--within", "start")
    found = [STAP.fullmatch(line) for line in lines]
    assert all(found), lines
    seen = [("function-entry:" if each["arrow"] == "=>" else "function-return:") + each["indent"]
            + "%s:%s:%s" % (Path(each["file"]).name, each["function"], each["line"]) for each in found]
    assert seen == SHOWN
    assert {int(each["id"]) for each in found} == {target.pid}
    times = [int(each["time"]) for each in found]
    assert times == sorted(times) and times[0] == 0


CLOSURES = """import sys
def outer(value):
    def inner():
        return value
    return inner
def start():
    return outer(1)()
print("{}", flush=True)
sys.stdin.readline()
start()
"""


@pytest.mark.parametrize("format, pattern", [("dtrace", DTRACE), ("stap", STAP)], ids=["dtrace", "stap"])
def test_functions_with_closures_begin_at_their_def(call_python, start, tmp_path, format, pattern):
    """The marker of 3.15 says -1 of them."""
    script = tmp_path / "closures.py"
    script.write_text(CLOSURES)
    out = tmp_path / "trace"
    _, process = tracing.start_attached(start, call_python, [script], out, ["call"], "--format", format, "--within", "start")
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    lines = out.read_text().splitlines()
    found = [pattern.fullmatch(line) for line in lines]
    assert all(found), lines
    entered = [(each["function"], int(each["line"])) for each in found
               if "function-entry" in each.string or "=>" in each.string]
    assert entered == [("start", 6), ("outer", 2), ("inner", 3)]

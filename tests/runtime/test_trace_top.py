"""`flametap trace --top` counts what the program itself counts."""

import collections
import re
import signal

import pytest

import flametap
from target import TARGETS, LineReader, Silent

pytestmark = pytest.mark.usefixtures("ebpf")

TRACED = TARGETS / "traced.py"
ROW = re.compile(r" *([0-9]+) +(\S+) +(-|[0-9]+) +(\S+) +([0-9]+)")


class Tables:
    """What a `--top --batch` prints: its tables, added up."""

    def __init__(self, process, pid):
        self._lines = LineReader(process.stdout.fileno())
        self._pid = pid
        self.count = 0
        self.calls = collections.Counter()

    def add(self, line):
        found = ROW.fullmatch(line)
        if found and int(found[1]) == self._pid and found[2] == str(TRACED):
            self.calls[found[4]] += int(found[5])
        self.count += line.endswith("CALLS")

    def read_another(self):
        before = self.count
        while self.count == before:
            self.add(self._lines.line())

    def read_the_rest(self):
        try:
            while True:
                self.add(self._lines.line())
        except Silent:
            pass


# What traces the calls of every Python on the machine stops those of other tests at each call, which would change what
# they measure.
@pytest.mark.parametrize("everywhere", [False, pytest.param(True, marks=pytest.mark.alone)], ids=["process", "machine"])
def test_the_table_of_calls(release_call_python, start, everywhere):
    target = start(release_call_python, TRACED, "count")
    target.says()
    which = ["--all"] if everywhere else ["-p", target.pid]
    process = flametap.start("trace", "--top", "--batch", "--interval", 0.1, "--limit", 1000, "--file", "traced", *which)
    try:
        tables, expected = Tables(process, target.pid), collections.Counter()
        tables.read_another()  # the first is of when it counted already
        target.tell("go")
        for calls in (1000, 1, 234):
            target.tell(str(calls))
            expected.update(target.says())
            tables.read_another()
        process.send_signal(signal.SIGINT)
        tables.read_the_rest()
        done = flametap.finish(process)
    finally:
        process.kill()
        process.wait()
    assert done.code == flametap.DONE, done
    assert {name: tables.calls[name] for name in expected} == dict(expected)
    assert tables.count >= 5


def test_the_table_of_calls_for_some_time(usual_call_python, start):
    target = start(usual_call_python, TRACED, "count")
    target.says()
    done = flametap.run("trace", "--top", "--batch", "-p", target.pid, "--interval", 0.2, "-d", 0.5)
    assert done.code == flametap.DONE, done
    assert sum(line.endswith("CALLS") for line in done.out.decode().splitlines()) == 3
    assert target.is_left_alone()

"""An event loop that waits for its clients is shown as waiting, not as work; its work is shown as work."""

import collections
import json
import socket
import time

import pytest

import flametap

ON_CPU = 1
# The function of each framework that asks the system for something to do.
POLLS = {"asyncio": "select", "twisted": "doPoll"}
SECONDS = 3


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("rb")

    def ask(self, line):
        self.socket.sendall(line + b"\n")
        return self.lines.readline()


def put_under_load(client, process):
    """Asks for work, and lets it wait for as long again, until flametap has ended; what the server's clocks say."""
    client.ask(b"how long")
    while process.poll() is None:
        began = time.monotonic()
        client.ask(b"work 20000")
        time.sleep(time.monotonic() - began)
    return json.loads(client.ask(b"how long"))


def ticks_by_state(recording):
    """{(innermost function, whether it was on a CPU): ticks}"""
    seen = collections.Counter()
    for sample in flametap.samples_of(recording):
        seen[sample.function.rpartition(".")[2], bool(sample.state & ON_CPU)] += sample.ticks
    return seen


@pytest.fixture
def recorded(start, tmp_path):
    """Records a server under load; gives its samples and what its own clocks say."""

    def record(interpreter, framework):
        target = start(interpreter, "server.py", framework)
        client = Client(target.says()["port"])
        out = tmp_path / "all.json"
        process = flametap.start("record", "-p", target.pid, "-d", SECONDS, "-o", out)
        clocks = put_under_load(client, process)
        done = flametap.finish(process)
        assert done.code == flametap.DONE, done
        return ticks_by_state(json.loads(out.read_text())), clocks

    return record


def check(seen, clocks, poll):
    total = sum(seen.values())
    on_cpu = sum(ticks for (_, on_cpu), ticks in seen.items() if on_cpu)
    # What flametap calls on a CPU is what the server's own clock counts; being ready for one while others have it too.
    assert on_cpu / total >= clocks["cpu_s"] / clocks["wall_s"] - 0.05, seen
    assert seen[poll, False] > 0.95 * (total - on_cpu), "whoever waits, waits in the poll: %s" % seen
    assert seen[poll, True] < 0.2 * on_cpu, "the poll is not where the work is: %s" % seen
    assert seen["compute", True] > 0.5 * on_cpu, seen
    assert seen["compute", False] < 0.02 * seen["compute", True], seen


def test_asyncio(minor_python, recorded):
    check(*recorded(minor_python, "asyncio"), POLLS["asyncio"])


def test_twisted(system_python, recorded):
    check(*recorded(system_python, "twisted"), POLLS["twisted"])

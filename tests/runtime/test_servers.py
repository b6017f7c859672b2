"""An event loop that waits for its clients is shown as waiting, not as work; its work is shown as work."""

import collections
import json
import socket
import time

import pytest

import delays
import flametap

ON_CPU = 1
# The function of each framework that asks the system for something to do.
POLLS = {"asyncio": "select", "twisted": "doPoll"}
SECONDS = 2
SIGMAS = 6.5  # by which a share may be off by chance: about once in ten billion times


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


def without_cpu_s(pid):
    """How long a process has been ready without a CPU: others had it, or the host, which no clock of CPU time counts."""
    return delays.waited_for_cpu_s(pid) + delays.stolen_s()


def time_by_state(recording):
    """{(innermost function, whether it was on a CPU): seconds}"""
    seen = collections.Counter()
    for sample in flametap.samples_of(recording):
        seen[sample.function.rpartition(".")[2], bool(sample.state & ON_CPU)] += sample.weight_ns / 1e9
    return seen


@pytest.fixture
def recorded(start, tmp_path):
    """Records a server under load; gives the recording and what the server's own clocks say, with "waited_s"."""

    def record(interpreter, framework):
        target = start(interpreter, "server.py", framework)
        client = Client(target.says()["port"])
        out = tmp_path / "all.json"
        before_s = without_cpu_s(target.pid)
        process = flametap.start("record", "-p", target.pid, "-d", SECONDS, "-o", out)
        clocks = put_under_load(client, process)
        clocks["waited_s"] = without_cpu_s(target.pid) - before_s
        done = flametap.finish(process)
        assert done.code == flametap.DONE, done
        return json.loads(out.read_text()), clocks

    return record


def check(recording, clocks, poll):
    seen, weight = time_by_state(recording), flametap.Weight()
    weight.add(recording)
    total = sum(seen.values())
    chance = SIGMAS * weight.sigma(0.5) * total
    on_cpu = sum(spent for (_, on_cpu), spent in seen.items() if on_cpu)
    # What flametap calls on a CPU is what the server's own clock counts, and being ready for one while others have it.
    # The clock also counts what was before the recording and after it.
    outside = max(0, clocks["wall_s"] - total)
    assert on_cpu >= clocks["cpu_s"] - outside - chance, (seen, clocks)
    assert on_cpu <= clocks["cpu_s"] + clocks["waited_s"] + chance, (seen, clocks)
    # Of time without a sample it is known whether it ran, but not where it was.
    unseen_asleep, unseen_awake = (seen[flametap.NOT_SAMPLED, awake] for awake in (False, True))
    assert seen[poll, False] > 0.95 * (total - on_cpu - unseen_asleep), "the server waits in the poll: %s" % seen
    # A server that was just woken is ready in the poll until it gets a CPU.
    waited = clocks["waited_s"] + chance
    assert seen[poll, True] < 0.2 * on_cpu + waited, "the poll is not where the work is: %s, %s" % (seen, clocks)
    assert seen["compute", True] > 0.5 * (on_cpu - unseen_awake) - waited, (seen, clocks)
    assert seen["compute", False] < 0.02 * seen["compute", True] + chance / 10, seen


def test_asyncio(some_minor_python, recorded):
    check(*recorded(some_minor_python, "asyncio"), POLLS["asyncio"])


def test_twisted(system_python, recorded):
    check(*recorded(system_python, "twisted"), POLLS["twisted"])

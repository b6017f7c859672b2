"""`--children`: every Python process that comes from the target is in the recording, however it was started."""

import collections
import json

import pytest

import flametap
from target import TARGETS, wait_until

WORKERS = 8


def ticks_by_process(recording):
    """{pid: {function innermost: ticks}}"""
    seen = collections.defaultdict(collections.Counter)
    for sample in flametap.samples_of(recording):
        seen[sample.process["pid"]][sample.function] += sample.ticks
    return seen


@pytest.mark.parametrize("way", ["launched", "attached"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_workers(usual_python, start, tmp_path, method, way):
    out, folder = tmp_path / "all.json", tmp_path / "pool"
    folder.mkdir()
    words = [TARGETS / "pool.py", method, folder]
    record = ["record", "--children", "-r", 200, "-o", out]
    if way == "launched":
        process = flametap.start(*record, "--", *usual_python.command, *words, env=usual_python.environment())
        process.stdout.readline()
        pids = json.loads(process.stdout.readline())["pids"]
    else:
        target = start(usual_python, *words)
        target.says()
        process = flametap.start(*record, "-p", target.pid)
        pids = target.says()["pids"]
    # Long enough for every worker to be met many times: until each has used a part of a second of CPU time.
    wait_until(lambda: all(cpu_time(pid) > 0.15 for pid in pids), "every worker has worked")
    (folder / "end").touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    seen = ticks_by_process(recording)
    assert set(pids) <= set(seen)
    workers = [json.loads((folder / ("worker-%d" % number)).read_text()) for number in range(WORKERS)]
    for worker in workers:
        mine, other = ("odd", "even") if worker["number"] % 2 else ("even", "odd")
        names = seen[worker["pid"]]
        assert names[mine] > 0 and other not in names, names
    # Ready for a CPU all the time, every worker is in its function for all the time from when it was found; not longer.
    for worker in workers:
        recorded_s = sum(sample.weight_ns for sample in flametap.samples_of(recording)
                         if sample.process["pid"] == worker["pid"] and sample.function in ("odd", "even")) / 1e9
        assert 0.4 * worker["wall_s"] < recorded_s < 1.1 * worker["wall_s"], worker
    assert recording["recording"]["quality"]["torn"] == 0
    commands = {process["pid"]: process["command"] for process in recording["processes"]}
    assert all("python" in commands[pid] for pid in pids)


def cpu_time(pid):
    """Seconds of CPU time that a process has used."""
    with open("/proc/%d/schedstat" % pid) as file:
        return int(file.read().split()[0]) / 1e9


# Each generation starts the next in another way: a fork, a shell that executes Python, a subprocess of its own.
DEEP = """
import os, subprocess, sys, time
def generation_%(number)d():
    end = time.time() + 0.3
    while time.time() < end: pass
generation_%(number)d()
source = %(next)r
if %(number)d == 0:
    if os.fork() == 0:
        exec(source)
        os._exit(0)
    os.wait()
elif %(number)d == 1:
    subprocess.check_call(["sh", "-c", 'true; exec "$0" -c "$1"', sys.executable, source])
elif %(number)d == 2:
    os.execv(sys.executable, [sys.executable, "-c", source])
"""


def deep(number=0):
    return DEEP % {"number": number, "next": deep(number + 1)} if number < 4 else ""


def test_any_depth_by_any_way(usual_python, tmp_path):
    out = tmp_path / "all.json"
    command = [*usual_python.command, "-c", deep()]
    done = flametap.run("record", "--children", "-o", out, "--", *command, env=usual_python.environment())
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    names = collections.Counter()
    for counts in ticks_by_process(recording).values():
        names.update(counts)
    for number in range(4):
        assert names["generation_%d" % number] > 10, names
    assert "sh" not in {process["command"].split()[0] for process in recording["processes"]}


# Children that run for 30 ms each, one after the other.
SHORT = """
import os, time
def short_lived():
    end = time.time() + 0.03
    while time.time() < end: pass
for _ in range(20):
    if os.fork() == 0:
        short_lived()
        os._exit(0)
    os.wait()
"""


def test_children_of_30_ms_are_seen_or_counted(usual_python, tmp_path):
    out = tmp_path / "all.json"
    command = [*usual_python.command, "-c", SHORT]
    done = flametap.run("record", "--children", "-o", out, "--", *command, env=usual_python.environment())
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    met = sum(1 for counts in ticks_by_process(recording).values() if counts["short_lived"])
    more = recording["recording"]["quality"]["more"]
    # On a machine that is busy some may end before we get a turn; but then we say so.
    assert met >= 10
    assert more["child processes"] + more.get("child processes too short to be read", 0) == 20, more


def test_without_events_of_the_kernel(usual_python, tmp_path):
    """In a network namespace of its own nobody is told of new processes: /proc is looked through instead."""
    out = tmp_path / "all.json"
    command = [*usual_python.command, "-c", deep()]
    done = flametap.run("record", "--children", "-o", out, "--", *command, env=usual_python.environment(),
                        wrap=["unshare", "--net"])
    assert done.code == flametap.DONE, done
    names = collections.Counter()
    for counts in ticks_by_process(json.loads(out.read_text())).values():
        names.update(counts)
    for number in range(4):
        assert names["generation_%d" % number] > 10, names


SELF_EXEC = """
import os, sys, time
def spin():
    end = time.time() + 0.4
    while time.time() < end: pass
spin()
left = int(sys.argv[1])
if left:
    words = [sys.executable, "-c", sys.argv[2], str(left - 1), sys.argv[2]]
    if sys.argv[3:] == ["thread"]:
        import threading
        threading.Thread(target=os.execv, args=(sys.executable, words)).start()
        time.sleep(1000)
    os.execv(sys.executable, words)
"""


@pytest.mark.parametrize("who", ["main", "thread"])
@pytest.mark.parametrize("rate", [20, 1000])
def test_a_process_that_executes_is_recorded_once(usual_python, tmp_path, rate, who):
    out = tmp_path / "all.json"
    command = [*usual_python.command, "-c", SELF_EXEC, "2", SELF_EXEC, who]
    done = flametap.run("record", "--children", "-r", rate, "-o", out, "--", *command, env=usual_python.environment())
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    spins = sum(counts["spin"] for counts in ticks_by_process(recording).values())
    # One thread at a time, so that there is at most one sample of it at a tick.
    assert spins <= recording["recording"]["quality"]["ticks"]
    assert len(recording["processes"]) == 3, recording["processes"]
    assert recording["recording"]["quality"]["more"]["child processes"] == 0

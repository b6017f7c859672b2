"""`--children`: every Python process that comes from the target is in the recording, however it was started."""

import collections
import json
import re
import signal
from pathlib import Path

import pytest

import delays
import flametap
from target import TARGETS, LineReader, wait_until

WORKERS = 8


def ticks_by_process(recording):
    """{pid: {function innermost: ticks}}"""
    seen = collections.defaultdict(collections.Counter)
    for sample in flametap.samples_of(recording):
        seen[sample.process["pid"]][sample.function] += sample.ticks
    return seen


@pytest.mark.parametrize("way", ["launched", "attached"])
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_pool_of_workers(usual_python, start, tmp_path, method, way, request):
    out, folder = tmp_path / "all.ftap", tmp_path / "pool"
    folder.mkdir()
    request.addfinalizer((folder / "end").touch)  # nobody works on after a test that failed
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
    # However late flametap gets its turn on a busy machine, every worker works on until it was met many times.
    flametap.wait_until_it_holds(process, out, lambda recording: are_known(recording, pids), "every worker")
    (folder / "end").touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    recording = flametap.so_far(out)
    seen = ticks_by_process(recording)
    workers = [json.loads((folder / ("worker-%d" % number)).read_text()) for number in range(WORKERS)]
    assert {worker["pid"] for worker in workers} == set(pids)
    for worker in workers:
        mine, other = ("odd", "even") if worker["number"] % 2 else ("even", "odd")
        names = seen[worker["pid"]]
        assert names[mine] > 0 and other not in names, names
    for worker in workers:
        samples = [sample for sample in flametap.samples_of(recording)
                   if sample.process["pid"] == worker["pid"] and sample.thread["id"] == worker["pid"]]
        assert_all_its_time_is_there(samples, worker["wall_s"])
    assert recording["recording"]["quality"]["torn"] == 0
    commands = {process["pid"]: process["command"] for process in recording["processes"]}
    assert all("python" in commands[pid] for pid in pids)


def assert_all_its_time_is_there(samples, wall_s):
    """Ready for a CPU all the time, a worker is in the recording from when it was found, and once."""
    at_work = [number for number, sample in enumerate(samples) if sample.function in ("odd", "even")]
    # A sample stands for the time before it: the first may have begun before the work, and as late as it was taken, so
    # much belongs to the second. How late the last one was taken, only the next one could say.
    begin, end = samples[at_work[0]].time_ns, samples[at_work[-2]].time_ns
    covered_ns = sum(sample.weight_ns for sample in samples[at_work[0]:])
    working_ns = sum(samples[number].weight_ns for number in at_work[2:])
    assert covered_ns > 0.9 * (end - begin), (covered_ns, begin, end)
    assert working_ns < 1.1e9 * wall_s, (working_ns, wall_s)


def are_known(recording, pids):
    seen = ticks_by_process(recording)
    return all(sum(seen[pid][name] for name in ("odd", "even")) > 20 for pid in pids)


# Each generation starts the next in another way, once a file of its number tells it that it was met: a fork, a shell
# that executes Python, an exec.
DEEP = """
import os, subprocess, sys, time
def generation_%(number)d():
    while not os.path.exists(%(folder)r + "/%(number)d"): sum(range(10000))
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


def deep(folder, number=0):
    if number == 4:
        return ""
    return DEEP % {"folder": str(folder), "number": number, "next": deep(folder, number + 1)}


def ticks_by_name(recording):
    names = collections.Counter()
    for counts in ticks_by_process(recording).values():
        names.update(counts)
    return names


def record_generations(python, folder, **options):
    """The recording of all of them; it goes on until it has each."""
    out = folder / "all.ftap"
    command = [*python.command, "-c", deep(folder)]
    process = flametap.start("record", "--children", "-o", out, "--", *command, env=python.environment(), **options)
    try:
        for number in range(4):
            name = "generation_%d" % number
            flametap.wait_until_it_holds(process, out, lambda recording: ticks_by_name(recording)[name] > 10, name)
            (folder / str(number)).touch()
    finally:  # nobody computes on after a test that failed
        for number in range(4):
            (folder / str(number)).touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return flametap.so_far(out)


def test_any_depth_by_any_way(usual_python, tmp_path):
    recording = record_generations(usual_python, tmp_path)
    seen = ticks_by_process(recording)
    # Until it executes the shell, a child is a Python process: one that waits long for a CPU there is rightly recorded.
    for process in recording["processes"]:
        if process["command"].split()[0] == "sh":
            assert set(seen[process["pid"]]) <= {"_execute_child"}


# A child that forks a grandchild; all compute until they are told to end.
GRANDCHILD = """
import os, sys
def compute():
    while not os.path.exists(%r): sum(range(1000))
generation = 0
while generation < 2 and os.fork() == 0: generation += 1
if generation == 2: os.write(1, b"{}\\n")
compute()
"""


@pytest.mark.parametrize("wrap", [[], ["unshare", "--net"]], ids=["events", "no events"])
def test_what_was_there_before_is_found_to_any_depth(usual_python, start, tmp_path, wrap):
    """Each is counted once, however often /proc is looked through."""
    out, told, script = tmp_path / "all.ftap", tmp_path / "told", tmp_path / "forks.py"
    script.write_text(GRANDCHILD % str(told))
    target = start(usual_python, script)
    target.says()
    process = flametap.start("record", "--children", "-p", target.pid, "-o", out, wrap=wrap)
    try:
        flametap.wait_until_it_holds(process, out, lambda recording: len(ticks_by_process(recording)) == 3, "the grandchild")
    finally:
        told.touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    assert flametap.so_far(out)["recording"]["quality"]["more"]["child processes"] == 2


# What a child does that says who it is; it ends with its parent.
ALONE = """
import ctypes, json, os, sys, threading, time
parent = os.getpid()
def alone():
    sys.stdout.write(json.dumps({"pid": os.getpid(), "threads": os.listdir("/proc/self/task")}) + "\\n")
    sys.stdout.flush()
    while os.getppid() == parent: pass
    os._exit(0)
def rest(): time.sleep(1000)
"""
FORKED_BY_A_THREAD = ALONE + """
def fork():
    if os.fork() == 0: alone()
    rest()
for work in (rest, rest, fork): threading.Thread(target=work).start()
rest()
"""
FORKED_BEHIND_ITS_BACK = ALONE + """
def fork():
    if ctypes.PyDLL(None).fork() == 0: alone()
    rest()
fork()
"""


@pytest.mark.parametrize("source", [FORKED_BY_A_THREAD, FORKED_BEHIND_ITS_BACK], ids=["thread", "without Python"])
def test_a_child_has_the_one_thread_that_forked(some_python, start, tmp_path, source):
    """2.7 keeps the states of all threads in the child; and what Python is not told of, it has no new ids for."""
    script = tmp_path / "forks.py"
    script.write_text(source)
    said = start(some_python, script).says()
    dumped = flametap.dump(said["pid"])["threads"]
    assert [str(thread["id"]) for thread in dumped] == said["threads"], dumped
    assert [frame["name"] for frame in dumped[0]["frames"]][:2] == ["alone", "fork"]
    assert dumped[0]["on_cpu"]


# Children that compute for 30 ms each, one after the other; of CPU time, of which we get as much on a busy machine. The
# first one begins when something is in the recording: those before could be over when we begin to look for any.
CHILDREN = 20
SHORT = """
import os, time
def short_lived():
    end = time.process_time() + 0.03
    while time.process_time() < end: pass
while not os.path.exists({journal!r}) or os.path.getsize({journal!r}) < 100: sum(range(1000))
for _ in range({children}):
    if os.fork() == 0:
        short_lived()
        os._exit(0)
    os.wait()
"""
TIME_TO_SPARE_S = 0.015  # for us to find a child, of the time that it computes


def test_children_of_30_ms_are_seen_or_counted(usual_python, tmp_path):
    out = tmp_path / "all.json"
    source = SHORT.format(journal=str(flametap.journal_of(out)), children=CHILDREN)
    stalled_before_s = delays.stalled_s()
    process = flametap.start("record", "--children", "-o", out, "--", *usual_python.command, "-c", source,
                             env=usual_python.environment())
    held_up_s = delays.waited_until_its_end_s(process) + delays.stalled_s() - stalled_before_s
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    met = sum(1 for counts in ticks_by_process(recording).values() if counts["short_lived"])
    more = recording["recording"]["quality"]["more"]
    # A child may end before we had a turn, as often as we had to wait for so long; but then we say so.
    assert met >= CHILDREN // 2 or (CHILDREN - met) * TIME_TO_SPARE_S < held_up_s, (met, held_up_s)
    assert more["child processes"] + more.get("child processes too short to be read", 0) == CHILDREN, more


def test_without_events_of_the_kernel(usual_python, tmp_path):
    """In a network namespace of its own nobody is told of new processes: /proc is looked through instead."""
    record_generations(usual_python, tmp_path, wrap=["unshare", "--net"])


def parent_of(start, python, script):
    """A shell that runs `script` with "$@", obedient.py's command. Each obedient.py ends when it is told to, or with its input."""
    return start(python, "obedient.py", wrap=["sh", "-c", script, "sh"])


def busy_pids(recording):
    """The processes that were seen in one of obedient.py's functions."""
    return {sample.process["pid"] for sample in flametap.samples_of(recording) if sample.function in ("leaf", "branch", "work")}


def test_the_children_of_what_is_no_python(usual_python, start, tmp_path):
    """A launcher runs one Python after the other: the one that is there, and the one that comes later."""
    out = tmp_path / "all.ftap"
    parent = parent_of(start, usual_python, '"$@"; "$@"; true')
    parent.says()
    process = flametap.start("record", "--children", "-p", parent.pid, "-o", out)
    flametap.wait_until_it_holds(process, out, lambda recording: len(busy_pids(recording)) == 1, "the first child")
    parent.tell("exit 0")
    parent.says()
    flametap.wait_until_it_holds(process, out, lambda recording: len(busy_pids(recording)) == 2, "the second child")
    parent.tell("exit 0")
    parent.reap()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    recording = flametap.so_far(out)
    assert parent.pid not in busy_pids(recording)
    assert recording["recording"]["quality"]["more"]["child processes"] == 2
    assert re.search("process %d (exited|ended)$" % parent.pid, recording["recording"]["ended"]), recording["recording"]["ended"]


def test_a_child_that_comes_after_us(usual_python, start, tmp_path):
    parent = parent_of(start, usual_python, 'read go; "$@"; true')
    process = flametap.start("record", "--children", "-p", parent.pid, *flametap.into(tmp_path))
    assert "process %d runs no CPython" % parent.pid in LineReader(process.stderr.fileno()).line()
    parent.tell("go")
    parent.says()
    flametap.wait_until_it_holds(process, flametap.journal_of(tmp_path / "recording.folded"), busy_pids, "the child")
    parent.tell("exit 0")
    parent.reap()
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert "work" in {frame.name for stack in recording.folded.stacks for frame in stack}


@pytest.mark.parametrize("duration", [[], ["-d", 0.5]], ids=["until it ends", "until the time is up"])
def test_no_child_is_a_python(usual_python, start, duration):
    parent = parent_of(start, usual_python, 'read go')
    process = flametap.start("record", "--children", *duration, "-p", parent.pid)
    if not duration:
        LineReader(process.stderr.fileno()).line()
        parent.tell("go")
        parent.reap()
    done = flametap.finish(process)
    assert done.code == flametap.NOT_PYTHON and "no Python was found" in done.err, done


def test_without_children_the_error_names_them(usual_python, start):
    parent = parent_of(start, usual_python, '"$@"; true')
    parent.says()
    (child,) = flametap.children_of(parent.pid)
    done = flametap.run("record", "-p", parent.pid)
    assert done.code == flametap.NOT_PYTHON, done
    assert "child process %d is a Python" % child in done.err
    assert "flametap record --children -p %d" % parent.pid in done.err
    parent.tell("exit 0")
    parent.reap()


# A child that ends after its parent, as the resource tracker of multiprocessing does.
SURVIVED = """
import os, signal, sys, time
def compute(path):
    while not os.path.exists(path): sum(range(1000))
os.write(1, b"{}\\n")
if os.fork() == 0:
    compute(sys.argv[2])
else:
    compute(sys.argv[1])
    os.kill(os.getpid(), signal.SIGTERM)
"""


@pytest.mark.parametrize("way", ["launched", "attached"])
def test_the_end_of_the_command_is_told(usual_python, start, tmp_path, way):
    """A child that ends later is not what the recording was about."""
    out, told, over, script = tmp_path / "all.ftap", tmp_path / "told", tmp_path / "over", tmp_path / "survived.py"
    script.write_text(SURVIVED)
    if way == "launched":
        process = flametap.start("record", "--children", "-o", out, "--", *usual_python.command, script, told, over,
                                 env=usual_python.environment())
    else:
        target = start(usual_python, script, told, over)
        target.says()
        process = flametap.start("record", "--children", "-p", target.pid, "-o", out)
    try:
        flametap.wait_until_it_holds(process, out, lambda recording: len(ticks_by_process(recording)) == 2, "both")
        parent = flametap.so_far(out)["processes"][0]["pid"]
        child = next(pid for pid in ticks_by_process(flametap.so_far(out)) if pid != parent)
        told.touch()
        wait_until(lambda: has_ended(parent), "the parent has ended")
        before = sum(ticks_by_process(flametap.so_far(out))[child].values())
        flametap.wait_until_it_holds(process, out, lambda recording: sum(ticks_by_process(recording)[child].values()) > before + 50,
                                     "more of the child")
    finally:
        told.touch(), over.touch()
    done = flametap.finish(process)
    assert done.code == (128 + signal.SIGTERM if way == "launched" else flametap.DONE), done
    assert flametap.so_far(out)["recording"]["ended"] == "process %d was killed by SIGTERM" % parent


def has_ended(pid):
    stat = Path("/proc/%d/stat" % pid)
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


# Each of three programs goes on to the next one once a file of its number is there. The arguments are how many are
# left, this source, which thread executes the next program, and the folder of the files.
SELF_EXEC = """
import os, sys, time
def spin():
    while not os.path.exists(os.path.join(sys.argv[4], sys.argv[1])): pass
spin()
end = time.time() + 0.3  # so that there are samples which are not in the recording yet
while time.time() < end: pass
left = int(sys.argv[1])
if left:
    words = [sys.executable, "-c", sys.argv[2], str(left - 1)] + sys.argv[2:]
    if sys.argv[3] == "thread":
        import threading
        threading.Thread(target=os.execv, args=(sys.executable, words)).start()
        time.sleep(1000)
    os.execv(sys.executable, words)
"""


def programs_that_spun(recording):
    return {sample.thread["process"] for sample in flametap.samples_of(recording) if sample.function == "spin"}


# Between two of the rarer ticks, the new program is found before the sampler of the one before notices its end.
@pytest.mark.parametrize("who", ["main", "thread"])
@pytest.mark.parametrize("rate", [5, 1000])
def test_a_process_that_executes_is_recorded_once(usual_and_system_python, tmp_path, rate, who):
    """Where the program is always at the same addresses, as the system's, nothing but us ends the sampler of the one before."""
    python, out = usual_and_system_python, tmp_path / "all.json"
    command = [*python.command, "-c", SELF_EXEC, "2", SELF_EXEC, who, tmp_path]
    process = flametap.start("record", "--children", "-r", rate, "-o", out, "--", *command,
                             env=python.environment())
    files = [tmp_path / str(left) for left in (2, 1, 0)]
    try:
        for number, file in enumerate(files, 1):
            flametap.wait_until_it_holds(process, flametap.journal_of(out),
                                         lambda recording: len(programs_that_spun(recording)) >= number,
                                         "program %d" % number)
            file.touch()
    finally:  # nobody computes on after a test that failed
        for file in files:
            file.touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    spins = sum(counts["spin"] for counts in ticks_by_process(recording).values())
    of_first_threads = sum(sample.ticks for sample in flametap.samples_of(recording)
                           if sample.thread["id"] == sample.process["pid"])
    # One thread at a time, and one first thread, so that there is at most one sample of it at a tick.
    assert max(spins, of_first_threads) <= recording["recording"]["quality"]["ticks"]
    # Nothing that was sampled is lost when a process goes on with another program.
    quality = recording["recording"]["quality"]
    assert sum(recording["samples"]["ticks"]) == sum(quality["steps"].values()) + quality["torn"] + quality["unreadable"]
    assert len(recording["processes"]) == 3, recording["processes"]
    assert recording["recording"]["quality"]["more"]["child processes"] == 0


# The first thread ends once the recording has begun, so that it is one of a Python that was found.
FIRST_THREAD_ENDS_FIRST = """
import ctypes, os, threading, time
def rest():
    end = time.time() + 1
    while time.time() < end: pass
    os._exit(7)
while not os.path.exists(%r): pass
threading.Thread(target=rest).start()
ctypes.CDLL(None).syscall(60, 0)
"""


def test_a_process_may_live_on_without_its_first_thread(usual_python, tmp_path):
    """The kernel tells of the first thread's end alone: we still notice when the process is over."""
    source = FIRST_THREAD_ENDS_FIRST % str(flametap.journal_of(tmp_path / "recording.folded"))
    done = flametap.run("record", "--children", *flametap.into(tmp_path), "--", *usual_python.command, "-c", source,
                        env=usual_python.environment())
    assert done.code == 7, done

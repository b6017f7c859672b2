"""Under its old name it speaks Pyflame's language: the options, messages, exit codes and output of Pyflame 1.6.6.

Tests with the names of Pyflame's own tests prove what those proved. Its two checks of the build environment have no
counterpart: interpreters are found by tools/pythons.
"""

import collections
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import flametap
from pyflame import FOR_A_WHILE, FRAME_WITHOUT_LINE, IDLE, Collapsed, Pyflame, dumped, flamechart, frame_of
from target import PATIENCE_S

REAL_TIME_SIGNAL = signal.SIGRTMIN + 5


@pytest.fixture
def spawn():
    """Starts a command that is no Python and ends it after the test."""
    running = []

    def start_command(*argv):
        running.append(subprocess.Popen(argv))
        return running[-1]

    yield start_command
    for process in running:
        process.kill()
        process.wait()


# Sampling.


def test_monitor(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "busy")
    collapsed = Collapsed(pyflame.sample("-s", 0.3, "-p", target.pid))
    assert set(collapsed.markers) == set(), "it never lets go of the GIL and can always be read"
    assert collapsed.stacks
    for stack in collapsed.stacks:
        outer = [frame.split(":")[1] for frame in stack]
        assert "workload.py:<module>:" in stack[0] and outer[:3] == ["<module>", "main", "busy"], stack
        assert set(outer[3:]) <= {"shortest", "relax", "<lambda>", "<dictcomp>", "<listcomp>"}, stack
    assert target.is_left_alone()


def test_non_gil(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "blocked")
    collapsed = Collapsed(pyflame.sample("-s", 0.1, "-p", target.pid))
    assert collapsed.idle == collapsed.total > 0


def test_threaded(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "blocked")
    collapsed = Collapsed(pyflame.sample("-s", 0.1, "--threads", "-p", target.pid))
    assert len(collapsed.stacks) == 5 and not collapsed.markers
    assert len(set(collapsed.stacks.values())) == 1, "each thread is in every sample"
    assert collapsed.of("sleep_a") == 3 * collapsed.of("sleep_b") > 0


def test_unthreaded(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "two-busy")
    for _ in range(5):
        collapsed = Collapsed(pyflame.sample("-s", 0, "-p", target.pid))
        assert collapsed.total == 1 and len(collapsed.stacks) + len(collapsed.markers) == 1


def test_one_sample_per_tick(pyflame, pyflame_python, workload):
    """However often the GIL changes hands while the threads are read."""
    target = workload(pyflame_python, "two-busy")
    samples = flamechart(pyflame.sample("-s", 0.3, "-r", 0.001, "--flamechart", "-p", target.pid))
    assert len({moment for moment, _ in samples}) == len(samples) > 0
    assert all(isinstance(what, tuple) or what == IDLE for _, what in samples)


def test_deeper_than_it_follows(pyflame, usual_python, start):
    target = start(usual_python, "abyss.py")
    truth = [frame_of(frame) for frame in target.says()["frames"]]
    target.wait_until_still()
    collapsed = Collapsed(pyflame.sample("-s", 0, "--threads", "-p", target.pid))
    *inner, outermost = max(collapsed.stacks, key=len)[::-1]
    assert outermost == "(truncated):(truncated):0"
    assert inner == truth[: len(inner)]
    stacks = [frames for _, _, frames in dumped(pyflame.sample("-d", "-p", target.pid))]
    assert max(stacks, key=len) == [*inner, outermost]


def test_stacks_are_sorted(pyflame, usual_python, workload):
    target = workload(usual_python, "blocked")
    lines = pyflame.sample("-s", 0, "--threads", "-o", "-", "-p", target.pid).splitlines()
    assert lines == sorted(lines) and len(lines) == 5


def test_exclude_idle(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "blocked")
    assert pyflame.sample("-s", 0.1, "-x", "-p", target.pid) == "", "there was nothing but idle samples"
    busy = workload(pyflame_python, "busy")
    assert Collapsed(pyflame.sample("-s", 0.1, "--exclude-idle", "--pid", busy.pid)).stacks


def test_utf8_output(pyflame, pyflame_python, start, tmp_path):
    names = ["låtìÑ1", "وظيفة", "日本語はどうですか", "មុខងារ", "ฟังก์ชัน"]
    if pyflame_python.minor < (3, 0):
        names = ["plain"]  # Python 2 has no other names
    script = tmp_path / "sleeper_ユニコード.py"
    calls = ["def %s(): %s()" % each for each in zip(names, names[1:] + ["wait"])]
    source = "import os, sys\ndef wait():\n    os.write(1, b'{}\\n'); os.read(0, 1)\n" + "\n".join(calls)
    script.write_text(source + "\n%s()\n" % names[0], encoding="utf-8")
    target = start(pyflame_python, script, env={"LC_ALL": "C.UTF-8"})
    target.says()
    collapsed = Collapsed(pyflame.sample("-s", 0, "--threads", "-p", target.pid))
    (stack,) = collapsed.stacks
    assert [frame.split(":")[1] for frame in stack] == ["<module>", *names, "wait"]
    assert all(frame.startswith(str(script) + ":") for frame in stack)


def test_exit_early(pyflame, pyflame_python, start, two_cpus):
    ours, theirs = two_cpus
    target = start(pyflame_python, "obedient.py", cpus={theirs})
    target.says()
    process = pyflame.start_pausing(target, ours, "-s", 600)
    target.tell("exit 3")
    assert target.reap() == 3
    done = flametap.finish(process)
    assert (done.code, done.err) == (0, ""), done
    assert Collapsed(done.out.decode()).of("work") > 0


def test_sigchld(pyflame, pyflame_python, start, wakeups):
    """A program that forks all the time and is told of each child's end."""
    descriptor = wakeups.write_end
    target = start(pyflame_python, "signals.py", descriptor, int(REAL_TIME_SIGNAL), pass_fds=(descriptor,))
    target.says()
    assert Collapsed(pyflame.sample("-s", 0.3, "-r", 0.001, "--threads", "-p", target.pid)).total > 0
    target.process.stdin.close()
    said = target.says()
    assert said["forked"] == said["reaped"] > 0
    assert target.reap() == 0


def test_until_it_exits(pyflame, usual_python, start, two_cpus):
    ours, theirs = two_cpus
    target = start(usual_python, "obedient.py", cpus={theirs})
    target.says()
    process = pyflame.start_pausing(target, ours, "-s", -1)
    target.tell("exit 0")
    done = flametap.finish(process)
    assert (done.code, done.err) == (0, ""), done
    assert Collapsed(done.out.decode()).of("work") > 0


def test_the_rate_is_an_interval(pyflame, usual_python, workload):
    target = workload(usual_python, "busy")
    assert 1 <= Collapsed(pyflame.sample("-s", 0.3, "-r", 0.1, "-p", target.pid)).total <= 4
    assert Collapsed(pyflame.sample("-s", 0.01, "--rate=10", "-p", target.pid)).total == 1, "there is always one"


def test_interrupted(pyflame, usual_python, start, two_cpus):
    """What was sampled so far is printed."""
    ours, theirs = two_cpus
    target = start(usual_python, "obedient.py", cpus={theirs})
    target.says()
    done = flametap.interrupt(pyflame.start_pausing(target, ours, "-s", 600))
    assert (done.code, done.err) == (0, ""), done
    assert Collapsed(done.out.decode()).of("work") > 0
    assert target.is_left_alone()


def test_no_line_numbers(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "blocked")
    text = pyflame.sample("-s", 0, "--threads", "-n", "-p", target.pid)
    collapsed = Collapsed(text, FRAME_WITHOUT_LINE)
    expected = tuple(frame_of(frame).rpartition(":")[0] for frame in reversed(target.said["main"]))
    assert expected in collapsed.stacks


def test_thread_dump(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "blocked")
    threads = dumped(pyflame.sample("-d", "-p", target.pid))
    assert len(threads) == len({ident for ident, _, _ in threads}) == 5
    assert not any(holds for _, holds, _ in threads)
    assert [frame_of(frame) for frame in target.said["main"]] in [frames for _, _, frames in threads]


def test_thread_dump_marks_the_holder_of_the_gil(pyflame, usual_python, workload):
    target = workload(usual_python, "busy")
    target.wait_until_it_computes()
    ((_, holds, frames),) = dumped(pyflame.sample("--dump", "-n", "-p", target.pid))
    assert holds
    assert frames[-1].split(":")[1] == "<module>"


# Flame charts.


def test_include_ts(pyflame, pyflame_python, workload):
    before = time.time_ns() // 1000
    target = workload(pyflame_python, "busy")
    samples = flamechart(pyflame.sample("-s", 0.3, "--flamechart", "-p", target.pid))
    assert samples and all(isinstance(what, tuple) for _, what in samples)
    assert before <= samples[0][0] and samples[-1][0] <= time.time_ns() // 1000
    assert len({moment for moment, _ in samples}) == len(samples), "each sample has its own time"


def test_include_ts_exclude_idle(pyflame, pyflame_python, workload):
    target = workload(pyflame_python, "blocked")
    samples = flamechart(pyflame.sample("-s", 0.1, "--flamechart", "-p", target.pid))
    assert samples and all(what == IDLE for _, what in samples)
    assert pyflame.sample("-s", 0.1, "--flamechart", "-x", "-p", target.pid) == ""


def test_include_ts_of_threads(pyflame, usual_python, workload):
    """The samples of one moment are those of all threads."""
    target = workload(usual_python, "blocked")
    samples = flamechart(pyflame.sample("-s", 0.1, "--flamechart", "--threads", "-p", target.pid))
    moments = {moment for moment, _ in samples}
    assert len(samples) == len(set(samples)) == 5 * len(moments)


def test_a_flame_chart_can_be_made_of_it(pyflame, usual_python, workload):
    """As its converter does it: a tree of nodes by the frames' texts, and a sample per pair of lines."""
    target = workload(usual_python, "busy")
    samples = flamechart(pyflame.sample("-s", 0.2, "--flamechart", "-p", target.pid))
    nodes, ids, deltas = {(): 1}, [], []
    for number, (moment, frames) in enumerate(samples):
        for depth in range(len(frames)):
            nodes.setdefault(frames[: depth + 1], len(nodes) + 1)
        ids.append(nodes[frames])
        deltas.append(moment - samples[max(number - 1, 0)][0])
    profile = json.loads(json.dumps({"samples": ids, "timeDeltas": deltas, "startTime": samples[0][0]}))
    assert profile["startTime"] + sum(profile["timeDeltas"]) == samples[-1][0]
    assert set(profile["samples"]) <= set(nodes.values()) - {1}


# Running a command.


@pytest.mark.parametrize("threads", [[], ["--threads"]], ids=["gil", "threads"])
def test_trace(pyflame, pyflame_python, tmp_path, threads):
    output = tmp_path / "out"
    abi = "--abi=%d%d" % pyflame_python.minor
    text = pyflame.sample(*threads, abi, "-o", output, "-t", *pyflame_python.command, "-c", FOR_A_WHILE,
                          env=pyflame_python.environment())
    assert text == ""
    assert Collapsed(output.read_text()).of("work") > 0


def test_trace_passes_input_and_output_through(pyflame, usual_python, tmp_path):
    source = FOR_A_WHILE + "sys.stderr.write('word'); sys.stdout.write(sys.stdin.read()); sys.exit(7)"
    process = pyflame.start("-o", tmp_path / "out", "-t", *usual_python.command, "-c", source,
                            stdin=subprocess.PIPE, env=usual_python.environment())
    out, err = process.communicate(b"to and fro", timeout=PATIENCE_S)
    assert (out, err, process.returncode) == (b"to and fro", b"word", 0), "the exit code says how pyflame fared"
    assert Collapsed((tmp_path / "out").read_text()).of("work") > 0


def test_trace_follows_a_shell_that_becomes_python(pyflame, usual_python, tmp_path):
    pyflame.sample("-o", tmp_path / "out", "-t", "sh", "-c", 'exec "$@"', "sh", *usual_python.command, "-c",
                   FOR_A_WHILE, env=usual_python.environment())
    assert Collapsed((tmp_path / "out").read_text()).of("work") > 0


def test_trace_forker(pyflame, pyflame_python, tmp_path):
    """Forks within forks, each of which ends before its parent goes on."""
    source = ("import os\n"
              "def fork(depth):\n"
              "    child = os.fork()\n"
              "    if child == 0:\n"
              "        if depth: fork(depth - 1)\n"
              "        os._exit(0)\n"
              "    os.waitpid(child, 0)\n" + FOR_A_WHILE.replace("leaf()\nwork", "leaf(); fork(2)\nwork"))
    source += "open(%r, 'w')\n" % str(tmp_path / "ended")
    text = pyflame.sample("-t", *pyflame_python.command, "-c", source, env=pyflame_python.environment())
    assert (tmp_path / "ended").exists()
    assert Collapsed(text).total > 0


def test_trace_not_python(pyflame):
    err = pyflame.refuses("-t", "sh", "-c", "exit 3")
    assert err.startswith("Failed to locate libpython within timeout period")
    assert "Child process exited with status: 3\n" in err


def test_pyflame_a_pyflame(pyflame):
    naughty = "You tried to pyflame a pyflame, naughty!\n"
    assert pyflame.refuses("-t", pyflame.path) == naughty
    folder = os.path.dirname(pyflame.path)
    assert pyflame.refuses("-t", "pyflame", env={"PATH": "/nonexistent:" + folder}) == naughty


def test_pyflame_a_running_pyflame(pyflame, usual_python, start, two_cpus):
    ours, theirs = two_cpus
    target = start(usual_python, "obedient.py", cpus={theirs})
    target.says()
    process = pyflame.start_pausing(target, ours, "-s", 600)
    assert pyflame.refuses("-p", process.pid) == "You tried to pyflame a pyflame, naughty!\n"
    flametap.interrupt(process)


def test_pyflame_nonexistent_file(pyflame):
    err = pyflame.refuses("-t", "/no/such/file", "-x")
    assert err.startswith("execvp() failed for: /no/such/file -x\n")
    assert "No such file or directory" in err
    assert err.endswith("Child process exited with status: 127\n")


def test_trace_a_file_that_cannot_be_executed(pyflame, tmp_path):
    err = pyflame.refuses("-t", tmp_path)
    assert err.startswith("execvp() failed for: %s\n" % tmp_path)
    assert err.endswith("Child process exited with status: 126\n")


# Files and rights.


def test_output_file(pyflame, usual_python, workload, tmp_path):
    target = workload(usual_python, "busy")
    output = tmp_path / "out"
    output.write_text("something old, which is longer than what comes now" * 1000)
    assert pyflame.sample("-s", 0, "-o", output, "-p", target.pid) == ""
    assert Collapsed(output.read_text()).total == 1
    assert pyflame.sample("--dump", "--output=%s" % output, "-p", target.pid) == ""
    assert len(dumped(output.read_text())) == 1


@pytest.mark.parametrize("path", ["/nonexistent/out", "/", ""])
def test_output_that_cannot_be_opened(pyflame, usual_python, workload, path):
    target = workload(usual_python, "busy")
    err = pyflame.refuses("-s", 60, "-o", path, "-p", target.pid)
    assert err.startswith('cannot open file "%s" as output' % path)


def test_sample_not_python(pyflame, spawn):
    process = spawn("sleep", "1000")
    for mode in (["-s", 0], ["-d"]):
        err = pyflame.refuses(*mode, "-p", process.pid)
        assert err.startswith("Failed to locate libpython within timeout period")


def test_nobody_reads_what_it_says(pyflame):
    with open("/dev/full", "w") as full:
        assert pyflame.start("-p", "x", stderr=full).wait(timeout=PATIENCE_S) == 1


def test_no_such_process(pyflame):
    pid = int(Path("/proc/sys/kernel/pid_max").read_text())
    for mode in (["-s", 0], ["-d"]):
        assert pyflame.refuses(*mode, "-p", pid).startswith("Failed to seize PID %d" % pid)


@pytest.mark.parametrize("mode", [["-s", "0"], ["-d"]], ids=["sample", "dump"])
def test_permission_error(usual_python, workload, public_folder, mode):
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    target = workload(usual_python, "busy")
    copy = Pyflame(shutil.copy(flametap.binary(), public_folder / "pyflame"))
    err = copy.refuses(*mode, "-p", target.pid, wrap=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
    assert err.startswith("Failed to seize PID %d" % target.pid)
    assert "user" in err, "the reason is missing: " + err


ENOUGH_QUERIES = 20  # samples of the function that is looked at
MOST_RUNS = 100


def test_c_stack(pyflame, pyflame_python, start):
    """C functions stand where they belong, below the Python function that called them."""
    target = start(pyflame_python, "native_libraries.py", "standard")
    target.says()
    stacks, below = collections.Counter(), collections.Counter()
    for _ in range(MOST_RUNS):
        sampled = Collapsed(pyflame.sample("-c", "-s", 0.75, "-r", 0.001, "-p", target.pid)).stacks
        stacks += sampled
        for stack, count in sampled.items():
            below.update({stack[place + 1:]: count for place, frame in enumerate(stack) if ":query:" in frame})
        if below.total() >= ENOUGH_QUERIES:
            break
    assert any(frame == "0xc:sqlite3_step:0" for stack in below for frame in stack), stacks
    assert not any("EvalFrame" in frame for stack in stacks for frame in stack)


@pytest.mark.parametrize("option", ["-c", "--profile-c-stack", "--native"])
def test_every_name_of_the_option_for_c_stacks(pyflame, usual_python, start, tmp_path, option):
    """In a C function that takes no end, so that a single sample tells."""
    script = tmp_path / "endless.py"
    script.write_text("import os, itertools\nos.write(1, b'{}\\n')\nall(itertools.repeat(1))\n")
    target = start(usual_python, script)
    target.says()
    target.wait_until_it_computes()
    (stack,) = Collapsed(pyflame.sample(option, "-s", 0, "-p", target.pid)).stacks
    assert stack[0].split(":")[1] == "<module>" and stack[-1].startswith("0xc:"), stack

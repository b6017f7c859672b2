"""`record -- CMD` is as if CMD had been started by itself: its input, output, signals and exit code.

Programs compute until a file is there: the recording, which is made once flametap has found their Python, or one that the
test makes once the recording holds what it waits for. So it does not matter how late flametap gets its turn.
"""

import json
import os
import re
import signal
import socket
import subprocess

import pytest

import delays
import flametap
from target import PATIENCE_S, LineReader, wait_until

BUSY = """
import os, sys
def leaf(n): return n + 1
def work(rounds):
    for n in range(rounds): leaf(n)
def work_until(path):
    while not os.path.exists(path): work(1000)
"""


@pytest.fixture
def journal(tmp_path):
    """What `record` into a folded file writes while it goes on."""
    return flametap.journal_of(tmp_path / "recording.folded")


@pytest.fixture
def told(tmp_path):
    """A file that a program waits for, until the test makes it."""
    return tmp_path / "told"


@pytest.fixture
def until_found(journal):
    """A program that computes until it was found, and then for a while, so that it is sampled."""
    return BUSY + "work_until(%r)\nwork(300000)\n" % str(journal)


@pytest.fixture
def until_told(told):
    return BUSY + "work_until(%r)\n" % str(told)


@pytest.fixture
def launch(tmp_path):
    """Starts `record -- COMMAND`; what it records goes where flametap.recorded() finds it."""
    running = []

    def start_command(*command, **options):
        running.append(flametap.start("record", *flametap.into(tmp_path), "--", *command, **options))
        return running[-1]

    yield start_command
    for process in running:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # the command, too: a test that failed does not leave it to itself
        except ProcessLookupError:
            pass
        process.wait()


@pytest.fixture
def launch_until_recorded(launch, journal, told, tmp_path):
    """Starts `record -- COMMAND`, and tells the command to end once functions of these names are in the recording."""

    def record(*command, names, **options):
        process = launch(*command, **options)
        flametap.wait_until_it_holds(process, journal, lambda recording: names <= flametap.functions_of(recording), str(names))
        told.touch()
        done = flametap.finish(process)
        return done, flametap.recorded(tmp_path, done)

    return record


def inline(interpreter, source, *args):
    return [*interpreter.command, "-c", source, *args]


def functions(recording):
    return {frame.name for stack in recording.folded.stacks for frame in stack}


def test_the_whole_run_is_recorded(some_python, launch_until_recorded, until_told):
    names = {"<module>", "work", "leaf"}
    _, recording = launch_until_recorded(*inline(some_python, until_told), names=names, env=some_python.environment())
    assert names <= functions(recording)
    assert recording.stats["ended"]


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_exit_code(usual_python, launch, until_found, code):
    done = flametap.finish(launch(*inline(usual_python, until_found + "sys.exit(%d)" % code),
                                  env=usual_python.environment()))
    assert done.code == code, done


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV],
                         ids=["SIGTERM", "SIGKILL", "SIGSEGV"])
def test_ended_by_a_signal(usual_python, launch, until_found, number):
    source = until_found + "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
    done = flametap.finish(launch(*inline(usual_python, source + "os.kill(os.getpid(), %d)" % number),
                                  env=usual_python.environment()))
    assert done.code == 128 + number, done
    assert re.search(r"process \d+ was killed by %s after" % number.name, done.err), done.err


def test_stdin_and_stdout_pass_through(usual_python, launch, until_found):
    data = os.urandom(1 << 20)
    source = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)\n" + until_found
    process = launch(*inline(usual_python, source), env=usual_python.environment(), stdin=subprocess.PIPE)
    out, err = process.communicate(data, timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert out == data


def test_stderr_passes_through(usual_python, launch, until_found):
    done = flametap.finish(launch(*inline(usual_python, until_found + "sys.stderr.write('a word of its own\\n')"),
                                  env=usual_python.environment()))
    assert "a word of its own\n" in done.err


def test_arguments_that_look_like_ours(usual_python, launch):
    command = inline(usual_python, "import sys; print(sys.argv[1:])", "-p", "7", "--", "-d", "--help")
    done = flametap.finish(launch(*command, env=usual_python.environment()))
    assert done.out.decode().strip() == "['-p', '7', '--', '-d', '--help']", done


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1],
                         ids=["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"])
def test_signals_pass_through(usual_python, launch, until_found, tmp_path, number):
    source = until_found + (
        "import signal\n"
        "signal.signal(%d, lambda *_: os._exit(3))\n"
        "os.write(1, b'ready\\n')\n"
        "while True: work(1000)\n" % number)
    # What is ignored when flametap begins is not passed on: SIGHUP, if the tests run under nohup.
    process = launch(*inline(usual_python, source), env=usual_python.environment(),
                     preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    assert LineReader(process.stdout.fileno()).line() == "ready"
    done = flametap.interrupt(process, number)
    assert done.code == 3, done
    assert (tmp_path / "recording.folded").exists()


def test_a_shell_that_becomes_python(usual_python, launch_until_recorded, until_told):
    _, recording = launch_until_recorded("sh", "-c", 'exec "$@"', "sh", *inline(usual_python, until_told), names={"work"},
                                         env=usual_python.environment())
    assert "work" in functions(recording)


def test_over_before_it_began(usual_python, launch):
    """If we get no turn while it lives, we say so."""
    done = flametap.finish(launch(*inline(usual_python, "pass"), env=usual_python.environment()))
    assert done.code == 0 or (done.code == flametap.NOT_PYTHON and "no Python was found" in done.err), done


def test_no_such_command(launch):
    done = flametap.finish(launch("/nonexistent/command"))
    assert done.code in (flametap.FAILED, 127), done
    assert "/nonexistent/command" in done.err


def test_a_command_that_is_no_python(launch):
    """Its exit code is its own if it ran; in any case the user is told that no Python was there."""
    done = flametap.finish(launch("sh", "-c", "exit 7"))
    assert done.code in (7, flametap.NOT_PYTHON), done
    assert "Python" in done.err


def test_the_time_is_up_before_the_command(usual_python, tmp_path):
    """The recording stops and is written; the command runs on to its own end, and its code is ours."""
    source = BUSY + "work_until(%r)\nsys.exit(9)" % str(tmp_path / "recording.stats")
    done = flametap.run("record", "-d", "0.5", "--mode", "wall", *flametap.into(tmp_path), "--",
                        *inline(usual_python, source), env=usual_python.environment())
    assert done.code == 9, done
    assert (tmp_path / "recording.folded").stat().st_size > 0


# Says who it is, how many ns it has waited for a CPU so far, and when it begins; goes on until it is told to end.
BRIEF = """
import os, sys, time
def brief():
    while not os.path.exists(%r): sum(range(1000))
waited_ns = open("/proc/self/schedstat").read().split()[1]
sys.stdout.write("%%d %%s %%.6f\\n" %% (os.getpid(), waited_ns, time.time()))
sys.stdout.flush()
brief()
"""
# flametap sleeps up to 20 ms between two looks for a Python (1 ms, if the command started it within 50 ms), up to 2 ms
# until its first tick, and while the kernel loads its BPF programs: some of the kernel's ticks, of 4 ms each.
SLEPT_S = 0.05
# What it computes meanwhile is some 20 ms, and more while others use the memory or the other hardware thread of the core.
COMPUTED_S = 0.25


def first_seen_s(recording, name):
    """When a function was on a stack for the first time, by the clock of the day."""
    within = [name in [frame.name for frame in stack] for stack in flametap.stacks_of(recording)]
    samples = recording["samples"]
    times = [time_ns for time_ns, stack in zip(samples["time_ns"], samples["stack"]) if within[stack]]
    return (recording["recording"]["start_unix_ns"] + min(times)) / 1e9


def test_a_program_of_50_ms(frame_kind, launch, journal, told):
    """It would be seen: as soon as it begins it is sampled, if neither of the two has to wait for a CPU or a disk."""
    flametap.run("trace", "--list", frame_kind.command[-1])  # reads the interpreter's file, so that it need not be fetched
    process = launch(*inline(frame_kind, BRIEF % str(told)), env=frame_kind.environment())
    with delays.Watched(flametap.sampler_of(process)) as ours:
        pid, had_waited_ns, began_s = LineReader(process.stdout.fileno()).line().split()
        with delays.Watched(int(pid)) as its:
            flametap.wait_until_it_holds(process, journal, lambda recording: "brief" in flametap.functions_of(recording),
                                         "brief")
        recording = flametap.so_far(journal)
    told.touch()
    flametap.finish(process)
    began_s, seen_s = float(began_s), first_seen_s(recording, "brief")
    ours, it_waited_s = ours.between(began_s, seen_s), its.until(seen_s).waited_s - int(had_waited_ns) / 1e9
    held_up_s = ours.waited_s + it_waited_s + ours.stalled_s
    assert ours.ran_s < COMPUTED_S, ours
    assert seen_s - began_s - ours.ran_s - held_up_s < SLEPT_S, (seen_s - began_s, ours, it_waited_s)


@pytest.mark.parametrize("first_line", ["#!{python}", "#!/usr/bin/env python-of-this-test"], ids=["python", "env"])
def test_a_script_with_an_interpreter_line(usual_python, launch_until_recorded, until_told, tmp_path, first_line):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python-of-this-test").symlink_to(usual_python.command[0])
    script = folder / "script"
    script.write_text(first_line.format(python=usual_python.command[0]) + "\n" + until_told)
    script.chmod(0o755)
    environment = usual_python.environment()
    _, recording = launch_until_recorded(script, names={"work"},
                                         env={**environment, "PATH": "%s:%s" % (folder, environment["PATH"])})
    assert "work" in functions(recording)


def test_a_console_script(system_python, launch_until_recorded, until_told, tmp_path):
    """Debian's pytest, which runs a test of ours."""
    (tmp_path / "test_of_the_test.py").write_text(
        "def test_it():\n" + "".join("    %s\n" % line for line in until_told.splitlines()))
    done, recording = launch_until_recorded("pytest-3", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
                                            tmp_path / "test_of_the_test.py", names={"test_it"}, cwd=tmp_path,
                                            env=system_python.environment())
    assert b"1 passed" in done.out
    assert "test_it" in functions(recording)


APPLICATION = """
import os, time
def serve(environ, start_response):
    end = time.process_time() + 0.1
    while time.process_time() < end: pass
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
"""


def test_gunicorn_and_its_workers(system_python, tmp_path):
    (tmp_path / "application.py").write_text(APPLICATION)
    address, journal = tmp_path / "socket", flametap.journal_of(tmp_path / "all.json")
    process = flametap.start(
        "record", "--children", "-o", tmp_path / "all.json", "--", "gunicorn", "--workers", 2, "--bind",
        "unix:%s" % address, "--pythonpath", tmp_path, "application:serve", env=system_python.environment(), cwd=tmp_path)
    try:
        wait_until(lambda: listens(address), "gunicorn listens")
        workers = set()
        while len(workers) < 2 or not workers <= serving(flametap.so_far(journal)):
            assert process.poll() is None, flametap.finish(process)
            workers |= set(ask_in_parallel(address, 4))
        done = flametap.interrupt(process, signal.SIGTERM)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert done.code == 0, done
    assert workers <= serving(json.loads((tmp_path / "all.json").read_text()))


def serving(recording):
    """The processes that were seen in serve(); None is a recording that holds nothing yet."""
    samples = flametap.samples_of(recording) if recording else ()
    return {sample.process["pid"] for sample in samples if sample.function == "serve"}


def listens(address):
    """The file is there some time before anybody listens to it."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(address)) == 0


def ask_in_parallel(address, times):
    """What each of so many requests at once is answered with."""
    connections = []
    for _ in range(times):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(address))
        connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
        connections.append(connection)
    for connection in connections:
        with connection, connection.makefile("rb") as answer:
            yield int(answer.read().rpartition(b"\r\n")[2])

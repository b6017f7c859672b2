"""`record -- CMD` is as if CMD had been started by itself: its input, output, signals and exit code."""

import json
import os
import signal
import socket
import subprocess

import pytest

import flametap
from target import PATIENCE_S, LineReader, wait_until

BUSY = """
import sys
def leaf(n): return n + 1
def work(rounds):
    for n in range(rounds): leaf(n)
work(%d)
"""


ENOUGH = 3000000  # rounds: far longer than it takes us to find a Python, also when we get no turn for a while
FOR_A_SECOND = """
import time
end = time.time() + 1
while time.time() < end: work(1000)
"""


@pytest.fixture
def launch(tmp_path):
    """Starts `record -- COMMAND`; what it records goes where flametap.recorded() finds it."""

    def start_command(*command, **options):
        return flametap.start("record", *flametap.into(tmp_path), "--", *command, **options)

    return start_command


def inline(interpreter, source, *args):
    return [*interpreter.command, "-c", source, *args]


def test_the_whole_run_is_recorded(python, launch, tmp_path):
    process = launch(*python.command, "-c", BUSY % ENOUGH + FOR_A_SECOND, env=python.environment())
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    names = {frame.name for stack in recording.folded.stacks for frame in stack}
    assert {"<module>", "work", "leaf"} <= names
    assert recording.stats["ended"]


@pytest.mark.parametrize("code", [0, 1, 7, 255])
def test_exit_code(usual_python, launch, code):
    done = flametap.finish(launch(*inline(usual_python, BUSY % ENOUGH + "sys.exit(%d)" % code),
                                  env=usual_python.environment()))
    assert done.code == code, done


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV],
                         ids=["SIGTERM", "SIGKILL", "SIGSEGV"])
def test_ended_by_a_signal(usual_python, launch, number):
    source = BUSY % ENOUGH + "import os, resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
    done = flametap.finish(launch(*inline(usual_python, source + "os.kill(os.getpid(), %d)" % number),
                                  env=usual_python.environment()))
    assert done.code == 128 + number, done


def test_stdin_and_stdout_pass_through(usual_python, launch):
    data = os.urandom(1 << 20)
    source = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)\n" + BUSY % ENOUGH
    process = launch(*inline(usual_python, source), env=usual_python.environment(), stdin=subprocess.PIPE)
    out, err = process.communicate(data, timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert out == data


def test_stderr_passes_through(usual_python, launch):
    done = flametap.finish(launch(*inline(usual_python, BUSY % ENOUGH + "sys.stderr.write('a word of its own\\n')"),
                                  env=usual_python.environment()))
    assert "a word of its own\n" in done.err


def test_arguments_that_look_like_ours(usual_python, launch):
    command = inline(usual_python, "import sys; print(sys.argv[1:])", "-p", "7", "--", "-d", "--help")
    done = flametap.finish(launch(*command, env=usual_python.environment()))
    assert done.out.decode().strip() == "['-p', '7', '--', '-d', '--help']", done


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1],
                         ids=["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1"])
def test_signals_pass_through(usual_python, launch, tmp_path, number):
    source = BUSY % ENOUGH + (
        "import os, signal\n"
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


def test_a_shell_that_becomes_python(usual_python, launch, tmp_path):
    command = inline(usual_python, BUSY % ENOUGH + FOR_A_SECOND)
    process = launch("sh", "-c", 'exec "$@"', "sh", *command, env=usual_python.environment())
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert any(frame.name == "work" for stack in recording.folded.stacks for frame in stack)


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
    """Recording stops; the command runs on to its own end, and its code is ours."""
    source = BUSY % ENOUGH + "import time\nend = time.time() + 1.5\nwhile time.time() < end: leaf(1)\nsys.exit(9)"
    done = flametap.run("record", "-d", "0.3", *flametap.into(tmp_path), "--", *inline(usual_python, source),
                        env=usual_python.environment())
    assert done.code == 9, done
    assert (tmp_path / "recording.folded").stat().st_size > 0


def functions(recording):
    return {frame.name for stack in recording.folded.stacks for frame in stack}


FOR_50_MS = """
import time
def brief():
    end = time.time() + 0.05
    while time.time() < end: pass
brief()
"""


def test_a_program_of_50_ms(frame_kind, launch, tmp_path):
    process = launch(*inline(frame_kind, FOR_50_MS), env=frame_kind.environment())
    recording = flametap.recorded(tmp_path, flametap.finish(process))
    assert "brief" in functions(recording)


@pytest.mark.parametrize("first_line", ["#!{python}", "#!/usr/bin/env python-of-this-test"], ids=["python", "env"])
def test_a_script_with_an_interpreter_line(usual_python, launch, tmp_path, first_line):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python-of-this-test").symlink_to(usual_python.command[0])
    script = folder / "script"
    script.write_text(first_line.format(python=usual_python.command[0]) + "\n" + BUSY % 1000 + FOR_A_SECOND)
    script.chmod(0o755)
    environment = usual_python.environment()
    process = launch(script, env={**environment, "PATH": "%s:%s" % (folder, environment["PATH"])})
    assert "work" in functions(flametap.recorded(tmp_path, flametap.finish(process)))


def test_a_console_script(system_python, launch, tmp_path):
    """Debian's pytest, which runs a test of ours."""
    (tmp_path / "test_of_the_test.py").write_text(
        "import time\ndef test_it():\n    end = time.time() + 0.5\n    while time.time() < end: pass\n")
    process = launch("pytest-3", "-q", "-p", "no:cacheprovider", tmp_path / "test_of_the_test.py", cwd=tmp_path,
                     env=system_python.environment())
    done = flametap.finish(process)
    assert b"1 passed" in done.out
    assert "test_it" in functions(flametap.recorded(tmp_path, done))


APPLICATION = """
import time
def serve(environ, start_response):
    end = time.time() + 0.3
    while time.time() < end: pass
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(__import__("os").getpid()).encode()]
"""


def test_gunicorn_and_its_workers(system_python, tmp_path):
    (tmp_path / "application.py").write_text(APPLICATION)
    address = tmp_path / "socket"
    process = flametap.start(
        "record", "--children", "-o", tmp_path / "all.json", "--", "gunicorn", "--workers", 2, "--bind",
        "unix:%s" % address, "--pythonpath", tmp_path, "application:serve", env=system_python.environment(), cwd=tmp_path)
    workers = set()
    while len(workers) < 2:
        wait_until(lambda: listens(address), "gunicorn listens")
        workers |= set(ask_in_parallel(address, 4))
    done = flametap.interrupt(process, signal.SIGTERM)
    assert done.code == 0, done
    recording = json.loads((tmp_path / "all.json").read_text())
    assert workers <= {each["pid"] for each in recording["processes"]}
    assert "serve" in recording["strings"]


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

"""What Pyflame did wrong, the pyflame command does not do."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

import flametap
from pyflame import FOR_A_WHILE, Collapsed, frame_of
from target import TARGETS

REAL_TIME_SIGNAL = signal.SIGRTMIN + 5


def test_no_signal_is_swallowed(pyflame, pyflame_python, start, two_cpus, wakeups):
    """Pyflame dropped what came while it had stopped the target."""
    ours, theirs = two_cpus
    descriptor = wakeups.write_end
    target = start(pyflame_python, "signals.py", descriptor, int(REAL_TIME_SIGNAL), cpus={theirs},
                   pass_fds=(descriptor,))
    target.says()
    process = pyflame.start_pausing(target, ours, "-s", 600)
    for sent in range(1, 1001):
        os.kill(target.pid, REAL_TIME_SIGNAL)
        wakeups.wait_for(REAL_TIME_SIGNAL, sent)
    done = flametap.interrupt(process)
    assert (done.code, done.err) == (0, ""), done
    target.process.stdin.close()
    said = target.says()
    assert said["forked"] == said["reaped"] > 0
    assert wakeups.counts[REAL_TIME_SIGNAL] == 1000


def test_killed_in_the_middle(pyflame, pyflame_python, start, two_cpus):
    """Pyflame complained without end."""
    ours, theirs = two_cpus
    target = start(pyflame_python, "obedient.py", cpus={theirs})
    target.says()
    process = pyflame.start_pausing(target, ours, "-s", 600)
    os.kill(target.pid, signal.SIGKILL)
    done = flametap.finish(process)
    assert (done.code, done.err) == (0, ""), done
    assert Collapsed(done.out.decode()).of("work") > 0
    assert target.reap() == -signal.SIGKILL


def test_killed_command(pyflame, usual_python):
    source = FOR_A_WHILE + "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    assert Collapsed(pyflame.sample("-t", *usual_python.command, "-c", source,
                                    env=usual_python.environment())).of("work") > 0


def test_lines_that_go_backwards(pyflame, pyflame_python, workload):
    """Pyflame took every step of 3.6's table of lines for one forwards."""
    target = workload(pyflame_python, "blocked")
    collapsed = Collapsed(pyflame.sample("-s", 0, "--threads", "-p", target.pid))
    assert tuple(frame_of(frame) for frame in reversed(target.said["main"])) in collapsed.stacks


def test_the_name_tells_frames_apart(pyflame, pyflame_python, workload):
    """Pyflame took frames of the same file and line for equal."""
    target = workload(pyflame_python, "blocked")
    collapsed = Collapsed(pyflame.sample("-s", 0, "--threads", "-p", target.pid))
    assert collapsed.of("first") == collapsed.of("second") == 1


def test_many_symbols_and_separate_code(pyflame, usual_python, start, tmp_path):
    """Pyflame never came to the end of 65,536 symbols, and read at wrong places where code has a segment of its own."""
    if not usual_python.shared:
        pytest.skip("no libpython to link with: %s" % usual_python)
    symbols = tmp_path / "symbols.s"
    symbols.write_text(".data\n" + "".join(".globl many_%d\nmany_%d: .byte 0\n" % (n, n) for n in range(70000))
                       + '.section .note.GNU-stack,"",@progbits\n')
    library = Path(usual_python.libpython)
    program = tmp_path / "not_a_snake"
    subprocess.run(["cc", "-o", program, TARGETS / "embed.c", symbols, "-I", usual_python.include, library,
                    "-rdynamic", "-Wl,-z,separate-code", "-Wl,-rpath," + str(library.parent)], check=True)
    home = usual_python.ask("import sys; print(getattr(sys, 'base_exec_prefix', sys.exec_prefix))")
    target = start(usual_python, "obedient.py", command=[program], env={"PYTHONHOME": home})
    target.says()
    assert Collapsed(pyflame.sample("-s", 0.1, "--threads", "-p", target.pid)).of("main") > 0

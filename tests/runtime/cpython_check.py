"""Asks src/cpython directly, through the program of cpython_check.cc, which the build puts beside the binary."""

import subprocess
from pathlib import Path

import flametap


def ask(question, given=b""):
    """The finished run of `cpython_check QUESTION`, with `given` on its standard input."""
    program = Path(flametap.binary()).with_name("cpython_check")
    return subprocess.run([str(program), question], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def answer(question, given=b""):
    """What it prints; it must succeed."""
    done = ask(question, given)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()

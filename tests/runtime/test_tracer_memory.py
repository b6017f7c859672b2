"""What the tracer makes of an interpreter's memory is what the interpreter itself says of it."""

import subprocess
from pathlib import Path

import flametap


def ask(question, *words):
    """The lines that `tracer_check QUESTION` prints, given these words."""
    program = Path(flametap.binary()).with_name("tracer_check")
    given = " ".join(map(str, words)).encode()
    done = subprocess.run([str(program), question], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_simple_objects_are_written_as_python_writes_them(python, start):
    target = start(python, "objects.py")
    objects = target.says()["objects"]
    assert ask("objects", target.pid, *[address for address, _ in objects]) == [text for _, text in objects]


def test_the_kernel_is_told_how_to_find_the_function_that_runs(traced_python, start):
    target = start(traced_python, "objects.py")
    said = target.says()
    target.wait_until_it_computes()
    assert ask("innermost", target.pid, said["ident"]) == [" ".join(map(str, said["function"]))]

"""Lines are exact: our reading of every line table equals the interpreter's own."""

import subprocess
import sys
from pathlib import Path

import cpython_check
from pythons import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools" / "layouts"))
from fields import TRAITS, spelling  # noqa: E402

CASES = Path(__file__).with_name("line_table_cases.py")
ENOUGH = 20_000  # instructions


def test_every_instruction_has_the_line_that_the_interpreter_gives_it(version_python):
    kind = spelling(TRAITS["line_table_kind"][1], version_python.minor)
    cases = subprocess.run(
        [*version_python.command, str(CASES), kind], env=version_python.environment(), check=True, stdout=subprocess.PIPE
    ).stdout
    done = cpython_check.ask("lines", cases)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, "\n".join(lines[:20])
    assert int(lines[-1].split()[0]) > ENOUGH

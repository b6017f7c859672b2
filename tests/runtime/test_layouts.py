"""The committed layouts are those of the interpreters themselves, asked in other ways than flametap does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import cpython_check
from pythons import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tools" / "layouts"))
import generate  # noqa: E402
import probe  # noqa: E402
from fields import TRACED_DEBUG_BEFORE  # noqa: E402

# Runs in every interpreter: what flametap would find in its memory from outside.
PRINT_RUNTIME = """
import ctypes, sys
runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
sys.stdout.buffer.write(ctypes.string_at(runtime, 1024))
"""
PRINT_WRITABLE_MEMORY = """
import ctypes, sys
code = ctypes.cast(ctypes.pythonapi.Py_GetVersion, ctypes.c_void_p).value
rows = [line.split(None, 5) for line in open("/proc/self/maps")]
ranges = [[int(end, 16) for end in row[0].split("-")] for row in rows]
names = [row[5].strip() if len(row) > 5 else "" for row in rows]
home = [name for name, (start, end) in zip(names, ranges) if start <= code < end][0]
owner = ""
for row, name, (start, end) in zip(rows, names, ranges):
    owner = name or owner  # what has no name continues the file before it: its .bss
    if owner == home and row[1].startswith("rw"):
        getattr(sys.stdout, "buffer", sys.stdout).write(ctypes.string_at(start, end - start))
"""
HAS_SYMBOLS = """
import ctypes, sys
print([name for name in sys.argv[1:] if hasattr(ctypes.pythonapi, name)])
"""


def ask(python, source, *arguments):
    command = [*python.command, "-c", source, *arguments]
    return subprocess.run(command, env=python.environment(), check=True, stdout=subprocess.PIPE).stdout


def headers_of(python):
    if not python.include:
        pytest.skip("%s has no headers" % python)
    return probe.identify(Path(python.include))


def test_the_committed_rows_are_what_the_headers_say(python):
    layouts, shapes = generate.blocks_of(headers_of(python).include)
    committed = generate.read_blocks(generate.LAYOUTS) | generate.read_blocks(generate.SHAPES)
    assert layouts or shapes
    for title, text in (layouts | shapes).items():
        assert committed.get(title) == text, "%s: run tools/layouts/generate.py" % title


def test_the_self_description_gives_what_the_headers_say(self_described_python):
    runtime = ask(self_described_python, PRINT_RUNTIME)
    stated = dict(line.split() for line in cpython_check.answer("debug-offsets", runtime).splitlines())
    headers = headers_of(self_described_python)
    for name, number in probe.probe_layout(headers, "release").items():
        if name in stated:
            assert int(stated.pop(name)) == number, name
    assert not stated


def test_the_version_is_in_the_interpreters_writable_memory(python):
    version = re.match(r"\d+\.\d+\.\d+", python.version)[0]
    assert cpython_check.answer("version", ask(python, PRINT_WRITABLE_MEMORY)).strip() == version


def test_symbols_tell_who_traces_references(python):
    symbols = cpython_check.answer("trace-refs").split()
    traces = python.debug and python.minor < TRACED_DEBUG_BEFORE
    assert (ask(python, HAS_SYMBOLS, *symbols).strip() != b"[]") == traces

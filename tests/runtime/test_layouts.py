"""The committed layouts are those of the interpreters themselves, asked in other ways than flametap does.

What a compiler makes of headers is kept beside the interpreters that tools/pythons fetched, in a file whose name has a hash
of all that went into it; in a full run, it is asked anew.
"""

import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import cpython_check
import extension
from pythons import FULL, REPOSITORY

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


def include_of(python):
    if not python.include:
        pytest.skip("%s has no headers" % python)
    return Path(python.include)


def contents(*folders):
    """What is in all files of these folders, each below its name there."""
    parts = []
    for folder in folders:
        for name, inner, files in os.walk(folder, followlinks=True):
            inner.sort()
            for path in (Path(name) / file for file in sorted(files)):
                if path.is_file() and path.suffix != ".pyc":
                    parts += [str(path.relative_to(folder)).encode(), path.read_bytes()]
    return parts


@functools.lru_cache(maxsize=None)
def who_compiles():
    """The compiler, its C library, and the questions that it answers."""
    compiler = subprocess.run(["cc", "-v"], check=True, stderr=subprocess.PIPE).stderr
    return [compiler, os.confstr("CS_GNU_LIBC_VERSION").encode(), *contents(Path(probe.__file__).parent)]


def asked_once(what, include, ask_headers):
    """ask_headers(include), which only the headers of that folder, the questions and the compiler decide."""
    if FULL:
        return ask_headers(include)
    headers = contents(include, *include.parent.glob("*/" + include.name))  # Debian's pyconfig.h is in a folder beside
    parts = [what.encode(), *who_compiles(), *headers]
    kept = extension.cache_folder() / ("headers-" + hashlib.sha256(b"\0".join(parts)).hexdigest()[:24])
    if not kept.exists():
        answer = json.dumps(ask_headers(include))
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=kept.parent, prefix=".new-", delete=False) as new:
            new.write(answer)
        os.replace(new.name, kept)  # whoever else was here wrote the same
    return json.loads(kept.read_text())


def numbers_of(include):
    return probe.probe_layout(probe.identify(include), "release")


def test_the_committed_rows_are_what_the_headers_say(python):
    layouts, shapes = asked_once("blocks", include_of(python), generate.blocks_of)
    committed = generate.read_blocks(generate.LAYOUTS) | generate.read_blocks(generate.SHAPES)
    assert layouts or shapes
    for title, text in (layouts | shapes).items():
        assert committed.get(title) == text, "%s: run tools/layouts/generate.py" % title


def test_the_self_description_gives_what_the_headers_say(self_described_python):
    runtime = ask(self_described_python, PRINT_RUNTIME)
    stated = dict(line.split() for line in cpython_check.answer("debug-offsets", runtime).splitlines())
    for name, number in asked_once("numbers", include_of(self_described_python), numbers_of).items():
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

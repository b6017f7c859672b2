"""The extension module of targets/flametap_truth.cc, built on demand against the headers of an interpreter.

What is built is kept beside the interpreters that tools/pythons fetches, in a folder whose name has a hash of all that
went into it. `in_environment()` is what lets the interpreter import it.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

from target import TARGETS

SOURCE = TARGETS / "flametap_truth.cc"

# No C++ library and no tail calls: see the head of the source. 2.7's headers say `register`.
FLAGS = ["-std=gnu++14", "-O2", "-g", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-fno-optimize-sibling-calls",
         "-fno-threadsafe-statics", "-Wall", "-Wextra", "-Wno-register", "-Wno-missing-field-initializers",
         "-Wno-cast-function-type"]
COMPILER = "gcc"


def cache_folder():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flametap" / "pythons"


def in_environment(interpreter):
    """The environment variables with which the interpreter finds the extension; it is built if it is not there."""
    return {"PYTHONPATH": str(built_for(interpreter).parent)}


def built_for(interpreter):
    """The extension's file."""
    compiler = subprocess.run([COMPILER, "--version"], check=True, stdout=subprocess.PIPE).stdout
    options = repr((FLAGS, str(SOURCE), interpreter.include, interpreter.version)).encode()
    content = [SOURCE.read_bytes(), options, compiler]
    folder = cache_folder() / ("extension-" + hashlib.sha256(b"\0".join(content)).hexdigest()[:12])
    if not folder.is_dir():
        build(interpreter, folder)
    return folder / "flametap_truth.so"


def build(interpreter, folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as name:
        new = Path(name) / "extension"
        new.mkdir()
        headers, library = ["-isystem", interpreter.include], new / "flametap_truth.so"
        subprocess.run([COMPILER, *FLAGS, *headers, str(SOURCE), "-o", str(library)], check=True)
        try:
            new.rename(folder)
        except OSError:
            assert folder.is_dir()  # somebody else was quicker, with the same result


def marks(path):
    """{name: line} of the lines that end with `line: NAME` behind the sign of a remark."""
    found = {}
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        mark = re.search(r"(?://|#) line: (.+)$", line)
        if mark:
            found[mark[1]] = number
    return found

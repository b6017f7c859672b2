"""The interpreters that the tests run against, as `tools/pythons list --json` found them.

FLAMETAP_PYTHONS may name a file that holds such a list instead.
"""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

QUICK = os.environ.get("FLAMETAP_QUICK", "") not in ("", "0")  # `./run-tests --quick`
QUICK_MINORS = ("3.11", "3.15")
FULL = os.environ.get("FLAMETAP_FULL", "") not in ("", "0")  # `./run-tests --full`

# One version of each way in which CPython keeps its frames.
FRAME_KINDS = ("2.7", "3.6", "3.10", "3.11", "3.13", "3.15")

SYSTEM = os.path.realpath("/usr/bin/python3")  # for which there are Debian's packages

OWN_GIL = ("3.12", "3.13", "3.14", "3.15")  # where an interpreter may have a GIL of its own

SELF_DESCRIBED = (3, 13)  # from here on _PyRuntime describes itself

# Every minor version of Python 3.
MINORS = tuple("3.%d" % minor for minor in range(6, 16))


# Where C calls Python and Python calls C in ways of their own.
NATIVE_MINORS = ("2.7", "3.6", "3.8", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")


class Interpreter:
    """One CPython that can be started: `command` plus a script, in an environment with `env` on top."""

    def __init__(self, row):
        self.name = row["name"]
        self.version = row["version"]  # "3.11.7"
        self.command = list(row["command"])
        self.env = dict(row.get("env") or {})
        self.kind = row.get("kind", "")
        self.debug = bool(row.get("debug"))
        self.libpython = row.get("libpython")
        self.include = row.get("include")  # the folder of Python.h, where it is installed

    @functools.cached_property  # asked millions of times while tests are collected
    def minor(self):
        """(3, 11)"""
        return tuple(int(part) for part in self.version.split(".")[:2])

    @property
    def direct(self):
        """Started by its own file, not through the loader of another system's tree."""
        return len(self.command) == 1

    @property
    def shared(self):
        """Its interpreter is a libpython that other programs can be linked with."""
        return self.kind == "shared" and self.direct and not self.debug and bool(self.include and self.libpython)

    def environment(self, extra=None):
        # Nothing of our own Python may leak into theirs.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        kept["PYTHONDONTWRITEBYTECODE"] = "1"
        kept.update(self.env)
        kept.update(extra or {})
        return kept

    def ask(self, source):
        """What a line of Python prints in this interpreter."""
        return subprocess.run(
            self.command + ["-c", source], env=self.environment(), check=True, stdout=subprocess.PIPE
        ).stdout.decode().strip()

    def __repr__(self):
        return self.name


def ask_tool(command):
    tool = [str(REPOSITORY / "tools" / "pythons"), command, "--json"]
    return json.loads(subprocess.run(tool, check=True, stdout=subprocess.PIPE).stdout)


def equipped(package):
    """The virtual environments that have a package of others."""
    return [Interpreter(row) for row in ask_tool("equipped") if row["name"].startswith(package + "-")]


def find():
    listed = os.environ.get("FLAMETAP_PYTHONS")
    rows = json.loads(Path(listed).read_text()) if listed else ask_tool("list")
    order = lambda found: (found.minor, found.debug, not found.direct, found.name)
    return sorted((Interpreter(row) for row in rows), key=order)


def one_of_each(interpreters, minors=FRAME_KINDS):
    """The first interpreter that is no debug build, of each minor version; those that are not there are left out."""
    chosen = []
    for minor in minors:
        fitting = [each for each in interpreters if not each.debug and "%d.%d" % each.minor == minor]
        chosen.extend(fitting[:1])
    return chosen


def some(interpreters):
    """One of each kind of frames, and one more that the commit chooses, so that all of them have their turn over time.

    For tests in which it hardly matters how a version lays out its memory. In a full run (FLAMETAP_FULL) it is all of them.
    """
    if FULL:
        return interpreters
    kinds = one_of_each(interpreters)
    others = [each for each in interpreters if each not in kinds]
    drawn = others[commit_number() % len(others)] if others else None
    return [each for each in interpreters if each in kinds or each is drawn]


def few(interpreters):
    """What is left of them in a quick run; not nothing, unless there was nothing."""
    return one_of_each(interpreters, QUICK_MINORS) or interpreters[:1]


@functools.lru_cache(maxsize=None)
def commit_number():
    """A number that differs from commit to commit; 0 outside a git checkout."""
    asked = subprocess.run(["git", "-C", REPOSITORY, "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return int(asked.stdout or b"0", 16)


def for_native_frames(interpreters):
    """One of each minor version, one without symbols, and one that is not position independent."""
    chosen = one_of_each(interpreters, NATIVE_MINORS)
    for is_special in (lambda each: each.name.startswith("stripped-"), lambda each: each.name.endswith("-nopie")):
        chosen.extend([each for each in interpreters if is_special(each) and each not in chosen][:1])
    return [each for each in chosen if each.include]


def usual(interpreters):
    """The one for tests to which the version does not matter: 3.11 if it is there."""
    chosen = one_of_each(interpreters, ("3.11",)) or interpreters[-1:]
    if not chosen:
        sys.exit("no Python to test against: see tools/pythons")
    return chosen[0]

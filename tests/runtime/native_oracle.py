"""What elfutils says of the C stacks of a process, by native_oracle.cc, which the build puts beside the binary."""

import collections
import json
import subprocess
from pathlib import Path

import flametap
from native_stacks import demangled

# `names` are the plain names that the function has; empty: no symbol covers it.
OracleFrame = collections.namedtuple("OracleFrame", "module names")


class OracleThread:
    """Frames innermost first, as far as elfutils knows them. `is_whole`: the outermost one is there."""

    def __init__(self, printed):
        known = known_ones(printed["frames"])
        self.is_whole = not printed["end"] and len(known) == len(printed["frames"])
        self.frames = [OracleFrame(frame["module"], frozenset(demangled(tuple(frame["names"])))) for frame in known]


def known_ones(frames):
    """The way is right up to the function of which nobody says how to find its caller: the rest is a guess, also where
    it ends well."""
    last = next((place for place, frame in enumerate(frames) if not frame["has_rules"]), len(frames))
    return [frame for frame in frames[:last + 1] if frame["module"]]


def threads(pid):
    """{id: OracleThread} of a process that stands still."""
    program = Path(flametap.binary()).with_name("native_oracle")
    done = subprocess.run([str(program), str(pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    return {printed["id"]: OracleThread(printed) for printed in json.loads(done.stdout)["threads"]}

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
    """Frames innermost first. `is_whole`: the outermost frame is there; elfutils knows only frames that say how to go on."""

    def __init__(self, printed):
        self.frames = [OracleFrame(frame["module"], frozenset(demangled(tuple(frame["names"]))))
                       for frame in printed["frames"]]
        self.is_whole = not printed["end"]
        if not self.is_whole:
            # What it came to at last has no module: it was misled, and says so.
            while self.frames and not self.frames[-1].module:
                self.frames.pop()


def threads(pid):
    """{id: OracleThread} of a process that stands still."""
    program = Path(flametap.binary()).with_name("native_oracle")
    done = subprocess.run([str(program), str(pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    return {printed["id"]: OracleThread(printed) for printed in json.loads(done.stdout)["threads"]}

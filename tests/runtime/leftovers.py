"""What a test leaves running: it would take the CPU from all tests after it.

Whatever a test starts has a variable in its environment that names the test, however many processes are in between.
"""

import contextlib
import os
import signal
from pathlib import Path

from target import Silent, wait_until

NAME = "FLAMETAP_TEST"
PATIENCE_S = 30  # for what has been told to end, or ends because its parent did
PAUSE_S = 0.02


def begin(test):
    os.environ[NAME] = "%d %s" % (os.getpid(), test)


def end(patience_s=PATIENCE_S):
    """Ends what still runs of the test that began, and does not end by itself meanwhile; gives the commands."""
    entry = ("%s=%s" % (NAME, os.environ.pop(NAME))).encode()
    try:
        wait_until(lambda: not running_with(entry), "all that it started has ended", patience_s, PAUSE_S)
    except Silent:
        pass
    left = running_with(entry)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return list(left.values())


def running_with(entry):
    """{pid: command} of the processes that have this in their environment."""
    found = {}
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            if process.name.isdigit() and entry in (process / "environ").read_bytes().split(b"\0"):
                found[int(process.name)] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found

"""How long a process could not go on although it was ready to: what else the machine did meanwhile.

A test that needs a turn in time judges by what its process had to wait, not by luck.
"""

import collections
import os
import re
import threading
import time
from pathlib import Path

from target import wait_until


def waited_for_cpu_s(pid, thread=None):
    """How long a thread of a process, its first one if none is named, has been in a run queue without running."""
    path = Path("/proc/%d/task/%d/schedstat" % (pid, thread or pid))
    return int(path.read_text().split()[1]) / 1e9


Look = collections.namedtuple("Look", "when_s ran_s waited_s turns stalled_s")


class Watched:
    """What the first thread of a process had run and waited for a CPU, and the machine had stalled, at any time meanwhile."""

    EVERY_S = 0.002

    def __init__(self, pid):
        self._path = Path("/proc/%d/schedstat" % pid)
        self._looks = [self._look()]
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look_on)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()

    def _look(self):
        ran_ns, waited_ns, turns = map(int, self._path.read_text().split())
        return Look(time.time(), ran_ns / 1e9, waited_ns / 1e9, turns, stalled_s())

    def _look_on(self):
        while not self._is_over.wait(self.EVERY_S):
            self._looks.append(self._look())

    def until(self, end_s):
        """What there was at a time of the day; not less. The kernel counts how long a thread waited when it has its turn."""
        later = [look for look in self._looks if look.when_s >= end_s] or self._looks[-1:]
        return next((look for look in later if look.turns > later[0].turns), later[-1])

    def between(self, begin_s, end_s):
        """What was added from one time of the day to another; not less: all of it, if it was not yet watched at the first."""
        unseen = Look(begin_s, 0, 0, 0, self._looks[0].stalled_s)
        first = next((look for look in reversed(self._looks) if look.when_s <= begin_s), unseen)
        return Look(*(after - before for before, after in zip(first, self.until(end_s))))


def waited_until_its_end_s(process):
    """The same of all threads of a process together, of which the end is waited for."""
    waited = {}

    def has_ended():
        for thread in Path("/proc/%d/task" % process.pid).iterdir():
            try:
                waited[thread.name] = waited_for_cpu_s(process.pid, int(thread.name))
            except (FileNotFoundError, ProcessLookupError):  # a thread that has just ended
                pass
        return process.poll() is not None

    wait_until(has_ended, "it ends")
    return sum(waited.values())


def stolen_s():
    """How long the host has had the CPUs of this machine run others, all CPUs together."""
    stolen = int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8])
    return stolen / os.sysconf("SC_CLK_TCK")


def stalled_s():
    """How long anything on this machine has waited for a disk or for memory, or the host has run others."""
    seconds = stolen_s()
    for what in ("io", "memory"):
        path = Path("/proc/pressure") / what
        if path.exists():  # a kernel may be built without
            seconds += int(re.search(r"^some .*total=(\d+)", path.read_text(), re.MULTILINE)[1]) / 1e6
    return seconds

"""How long a process could not go on although it was ready to: what else the machine did meanwhile.

A test that needs a turn in time judges by what its process had to wait, not by luck.
"""

import os
import re
from pathlib import Path

from target import wait_until


def waited_for_cpu_s(pid, thread=None):
    """How long a thread of a process, its first one if none is named, has been in a run queue without running."""
    path = Path("/proc/%d/task/%d/schedstat" % (pid, thread or pid))
    return int(path.read_text().split()[1]) / 1e9


def ran_or_waited_s(pid):
    """How long the first thread of a process has run or been in a run queue: all of its time but what it slept."""
    return sum(map(int, Path("/proc/%d/schedstat" % pid).read_text().split()[:2])) / 1e9


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


class Since:
    """How much a number of seconds has grown since this was made."""

    def __init__(self):
        self._before_s = self._now_s()

    def seconds(self):
        return self._now_s() - self._before_s


class StolenTime(Since):
    """How long the host had the CPUs of this machine run others, all CPUs together."""

    @staticmethod
    def _now_s():
        stolen = int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8])
        return stolen / os.sysconf("SC_CLK_TCK")


class Stalls(Since):
    """How long anything on this machine waited for a disk or for memory, or the host ran others."""

    @staticmethod
    def _now_s():
        seconds = StolenTime._now_s()
        for what in ("io", "memory"):
            path = Path("/proc/pressure") / what
            if path.exists():  # a kernel may be built without
                seconds += int(re.search(r"^some .*total=(\d+)", path.read_text(), re.MULTILINE)[1]) / 1e6
        return seconds

"""What flametap's sampling thread asks of the system and of the heap, as the library of tick_log.cc sees it.

A stretch is what happened between two sleeps: a string with one letter per system call or allocation, in order.
"""

import array
import mmap
import os
import re
import struct
import time
from pathlib import Path

import flametap
from target import PATIENCE_S

BPF, READ, ASK, MOVE, WRITE, ALLOCATION = "bvpawm"
SLEEP = "|"  # what ends a stretch
SIGNAL_MASK, PENDING_SIGNALS, TAKE_SIGNAL = "kqt"
LETTERS = {321: BPF, 310: READ, 17: ASK, 203: MOVE, 1: WRITE, 0xffff: ALLOCATION, 230: SLEEP,
           14: SIGNAL_MASK, 127: PENDING_SIGNALS, 128: TAKE_SIGNAL}

SIZE = 8 + (1 << 23)  # of the file: a count and the events, see tick_log.cc
LOOK_EVERY_S = 0.05  # while the log grows: polling faster would take CPU time from the process that is recorded


def letter(event):
    return LETTERS.get(event) or "<%d>" % event


def stretches(text):
    """The first stretch is not among them, with all that happened before it; nor is the last, which has not ended."""
    return text.split(SLEEP)[1:-1]


class TickLog:
    """The log of a flametap that is started with `environment` and `descriptors`, which stays readable while it runs."""

    def __init__(self):
        self._file = os.memfd_create("ticks")
        os.ftruncate(self._file, SIZE)
        self._map = mmap.mmap(self._file, SIZE)
        self._text = ""
        self._read = 0
        self.descriptors = (self._file,)
        library = Path(flametap.binary()).with_name("tick_log.so")
        self.environment = dict(os.environ, LD_PRELOAD=str(library), FLAMETAP_TICK_LOG="/proc/self/fd/%d" % self._file)

    def stretches(self):
        count, = struct.unpack_from("=Q", self._map, 0)
        events = array.array("H", self._map[8 + 2 * self._read:8 + 2 * count])
        self._read = count
        self._text += "".join(map(letter, events))
        return stretches(self._text)

    def close(self):
        self._map.close()
        os.close(self._file)


def record(folder, *args, until):
    """Records with the library in place until until(stretches) is true, or PATIENCE_S have passed.

    Gives the statistics and the stretches; None instead of these if the kernel does not show system calls in this way.
    """
    log = TickLog()
    process = flametap.start("record", *args, *flametap.into(folder), env=log.environment, pass_fds=log.descriptors)
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < deadline and not until(log.stretches()):
        time.sleep(LOOK_EVERY_S)
    recording = flametap.recorded(folder, flametap.interrupt(process))
    found = log.stretches()
    log.close()
    release = tuple(int(number) for number in re.match(r"(\d+)\.(\d+)", os.uname().release).groups())
    assert found or release < (5, 11), "the library of tick_log.cc was not loaded, or could not map its log"
    return recording.stats, found or None

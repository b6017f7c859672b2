"""What flametap's sampling thread asks of the system and of the heap, tick by tick, as the library of tick_log.cc saw it."""

import array
import collections
import os
from pathlib import Path

import flametap

ALLOCATION = "allocation"
SLEEP = "clock_nanosleep"  # with it a tick begins
WRITE = "write"
NAMES = {0: "read", 1: WRITE, 3: "close", 14: "rt_sigprocmask", 17: "pread64", 127: "rt_sigpending", 128: "rt_sigtimedwait",
         203: "sched_setaffinity", 230: SLEEP, 257: "openat", 310: "process_vm_readv", 321: "bpf", 0xffff: ALLOCATION}


def record(folder, *args):
    """Records with the library in place; gives the Recording and the ticks, each a Counter of what happened in it.

    The first tick is not among them, with all that happened before it; nor is the last, which is followed by all that comes
    after sampling. None: the kernel does not show system calls in this way.
    """
    log = Path(folder) / "ticks"
    env = dict(os.environ, LD_PRELOAD=str(Path(flametap.binary()).with_name("tick_log.so")), FLAMETAP_TICK_LOG=str(log))
    done = flametap.record(folder, *args, env=env)
    events = array.array("H")
    events.frombytes(log.read_bytes())
    if not events:
        return done, None
    ticks = [collections.Counter()]
    for event in events:
        name = NAMES.get(event, "system call %d" % event)
        if name == SLEEP:
            ticks.append(collections.Counter())
        else:
            ticks[-1][name] += 1
    return done, ticks[1:-1]

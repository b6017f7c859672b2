"""Calls epoll_wait all the time, which the kernel does not restart after a stop.

It fails with EINTR then, which programs do not expect that handle no signals.

Argument: the file of counters (see Counters in target.py): version, then how often it has waited. Says {} at the start,
and when stdin is closed {"interrupted": n}.
"""

import ctypes
import errno
import json
import mmap
import os
import select
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)


def leaf(number):
    return number + 1


def branch(number):
    return leaf(number) + leaf(number)


def main():
    events = ctypes.create_string_buffer(64)
    poll = LIBC.epoll_create1(0)
    waits = interrupted = 0
    with open(sys.argv[1], "r+b") as counters_file:
        counters = mmap.mmap(counters_file.fileno(), 4096)
    os.write(1, json.dumps({}).encode("ascii") + b"\n")
    while not select.select([0], [], [], 0)[0]:
        for number in range(500):
            branch(number)
        if LIBC.epoll_wait(poll, events, 1, 1) < 0:
            interrupted += ctypes.get_errno() == errno.EINTR
        waits += 1
        counters[0:8] = struct.pack("=q", 2 * waits - 1)  # odd while it writes
        counters[8:16] = struct.pack("=q", waits)
        counters[0:8] = struct.pack("=q", 2 * waits)
    os.write(1, json.dumps({"interrupted": interrupted}).encode("ascii") + b"\n")


main()

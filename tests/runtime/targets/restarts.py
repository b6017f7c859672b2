"""Calls epoll_wait all the time, which the kernel does not restart after a stop.

It fails with EINTR then, which programs do not expect that handle no signals.

Says {} at the start, and when stdin is closed {"waits": n, "interrupted": n}.
"""

import ctypes
import errno
import json
import os
import select

LIBC = ctypes.CDLL(None, use_errno=True)


def leaf(number):
    return number + 1


def branch(number):
    return leaf(number) + leaf(number)


def main():
    events = ctypes.create_string_buffer(64)
    poll = LIBC.epoll_create1(0)
    waits = interrupted = 0
    os.write(1, json.dumps({}).encode("ascii") + b"\n")
    while not select.select([0], [], [], 0)[0]:
        for number in range(500):
            branch(number)
        waits += 1
        if LIBC.epoll_wait(poll, events, 1, 1) < 0:
            interrupted += ctypes.get_errno() == errno.EINTR
    os.write(1, json.dumps({"waits": waits, "interrupted": interrupted}).encode("ascii") + b"\n")


main()

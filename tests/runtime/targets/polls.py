"""Sleeps in epoll_wait, which the kernel does not restart after a stop, until there is something on standard input.

Then says {"interrupted": how often it failed with EINTR}.
"""

import ctypes
import errno
import json
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
EPOLL_CTL_ADD = 1
EPOLLIN = 1


def main():
    poll = LIBC.epoll_create1(0)
    LIBC.epoll_ctl(poll, EPOLL_CTL_ADD, 0, struct.pack("=IQ", EPOLLIN, 0))
    events = ctypes.create_string_buffer(64)
    interrupted = 0
    os.write(1, json.dumps({}).encode("ascii") + b"\n")
    while LIBC.epoll_wait(poll, events, 1, -1) < 0:
        assert ctypes.get_errno() == errno.EINTR
        interrupted += 1
    os.write(1, json.dumps({"interrupted": interrupted}).encode("ascii") + b"\n")


main()

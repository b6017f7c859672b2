"""A target whose stack goes to and fro between Python and C++ and ends in C++: python native_extension.py COUNTER_FILE.

The extension is that of the tests (tests/runtime/targets/flametap_truth.cc). The count is of innermost calls.
"""
import mmap
import struct
import sys

import flametap_truth as truth

LEVELS = 10

with open(sys.argv[1], "r+b") as counter_file:
    counter = mmap.mmap(counter_file.fileno(), 8)


def work():
    rounds = 0
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        truth.beta(leaf, 10)
        rounds += 10
        counter[0:8] = struct.pack("q", rounds)


def leaf():
    truth.gamma(5000)


def descend(levels):
    truth.outer(lambda: descend(levels - 1) if levels else work())


descend(LEVELS)

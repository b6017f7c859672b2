"""A target of a chosen depth that counts how far it gets: python deep.py DEPTH LEAF_LOOPS COUNTER_FILE.

DEPTH frames of recursion, and below them a loop that calls a leaf function of LEAF_LOOPS loop rounds: 0 makes several
calls per microsecond, 100 makes calls of some microseconds, -1 makes long calls of C code. The count of calls is kept in COUNTER_FILE.
"""
import mmap
import struct
import sys

depth, leaf_loops = int(sys.argv[1]), int(sys.argv[2])
with open(sys.argv[3], "r+b") as counter_file:
    counter = mmap.mmap(counter_file.fileno(), 8)
sys.setrecursionlimit(depth + 1000)
NUMBERS = list(range(1000000))


def leaf(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return total


def long_c_call(_):
    return sum(NUMBERS)


def work():
    calls = 0
    function, batch = (leaf, 100) if leaf_loops >= 0 else (long_c_call, 1)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        for _ in range(batch):
            function(leaf_loops)
        calls += batch
        struct.pack_into("q", counter, 0, calls)


def descend(levels):
    if levels > 0:
        descend(levels - 1)
    else:
        work()


descend(depth - 4)

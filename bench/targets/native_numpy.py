"""A target that computes with numpy and counts its rounds: python native_numpy.py COUNTER_FILE."""
import mmap
import struct
import sys

import numpy

with open(sys.argv[1], "r+b") as counter_file:
    counter = mmap.mmap(counter_file.fileno(), 8)
generator = numpy.random.RandomState(1)
SQUARE, LARGE, NUMBERS = generator.rand(60, 60), generator.rand(100, 100), generator.rand(2000)


def key(number):
    return -number


def work():
    rounds = 0
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        numpy.linalg.svd(SQUARE)
        LARGE.dot(LARGE)
        numpy.sort(NUMBERS)
        sorted(NUMBERS[:200], key=key)
        rounds += 1
        counter[0:8] = struct.pack("q", rounds)


work()

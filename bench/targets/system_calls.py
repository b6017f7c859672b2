"""Much time in the kernel: python system_calls.py TRUTH_FILE.

An interrupt comes late where the kernel has closed the door to it, and a thread is sent off the CPU where it leaves
the kernel.
"""
import os
from itertools import repeat

import truth_cells
from blocks import TURN, Block
from clocks import thread_clock
from truth_cells import Account, Truth

POSSIBLE = "<module>;work(;computing|;asking|;reading|;clocking)?"


def computing(rounds):
    for _ in repeat(None, rounds):
        pass


def asking(rounds):
    for _ in repeat(None, rounds):
        os.getppid()


def reading(rounds):
    for _ in repeat(None, rounds):
        os.lseek(zeros, 0, os.SEEK_SET)
        os.read(zeros, 65536)


def clocking(rounds):
    for _ in repeat(None, rounds):
        clock()


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
zeros = os.open("/dev/zero", os.O_RDONLY)
clock = thread_clock()
blocks = [Block(computing, 0.4, units=TURN, calls=0), Block(asking, 0.3, units=200, calls=0),
          Block(reading, 0.2, units=3000, calls=0), Block(clocking, 0.1, units=400, calls=0)]
truth = Truth(said, __file__, [block.label for block in blocks], POSSIBLE)
work()  # call

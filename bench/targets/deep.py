"""Work below many frames: python deep.py TRUTH_FILE --depth 200 --work c|us|tiny.

`c` are long calls of C code, `us` calls of some microseconds, `tiny` several calls per microsecond.
"""
import sys
from itertools import repeat

import truth_cells
from blocks import CALL, TURN, Block, turns_of, units_of
from truth_cells import Account, Truth

OUTERMOST = 2  # <module> and work stand around the frames of descend
NUMBERS = list(range(3000))
POSSIBLE = {
    "c": "(;adding|;sorting)?",
    "us": "(;no_calls|;short_calls(;short)?|;longer_calls(;longer)?)?",
    "tiny": "(;no_calls|;shortest_calls(;shortest)?|;pair_calls(;pair(;shortest)?)?)?"}


def adding(rounds):
    for _ in repeat(None, rounds):
        sum(NUMBERS)


def sorting(rounds):
    for _ in repeat(None, rounds):
        sorted(NUMBERS, reverse=True)


def no_calls(rounds):
    for _ in repeat(None, rounds):
        pass


def short(turns):
    while turns > 0:
        turns -= 1


def short_calls(rounds):
    for _ in repeat(None, rounds):
        short(short_turns)  # call


def longer(turns):
    while turns > 0:
        turns -= 1


def longer_calls(rounds):
    for _ in repeat(None, rounds):
        longer(longer_turns)  # call


def shortest():
    pass


def shortest_calls(rounds):
    for _ in repeat(None, rounds):
        shortest()  # call


def pair():
    shortest()  # call
    shortest()  # call


def pair_calls(rounds):
    for _ in repeat(None, rounds):
        pair()  # call


def work():
    Account(truth).run(blocks)  # call


def descend(levels):
    if levels > 0:
        descend(levels - 1)  # call
    else:
        work()  # call


def blocks_of(kind):
    without = Block(no_calls, 0.2, units=TURN, calls=0)
    if kind == "c":
        return [Block(adding, 0.65, units=20000, calls=0), Block(sorting, 0.35, units=15000, calls=0)]
    if kind == "us":
        short_units, longer_units = units_of(short_turns), units_of(longer_turns)
        return [without, Block(short_calls, 0.5, units=short_units), Block(longer_calls, 0.3, units=longer_units)]
    return [without, Block(shortest_calls, 0.5, units=CALL), Block(pair_calls, 0.3, units=3 * CALL, calls=3)]


said = truth_cells.options(__doc__, depth=20, work="us")
short_turns, longer_turns = [turns_of(longer, length) for length in (2000, 5000)]
blocks = blocks_of(said.work)
sys.setrecursionlimit(said.depth + 1000)
frames = said.depth - OUTERMOST
possible = "<module>(;descend){%d};work%s" % (frames, POSSIBLE[said.work])
truth = Truth(said, __file__, [block.label for block in blocks], possible)
descend(frames - 1)  # call

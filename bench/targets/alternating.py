"""Shallow and deep in turn: python alternating.py TRUTH_FILE --us 3000. A turn lasts about so many microseconds."""
import random
from itertools import repeat

import truth_cells
from blocks import Block, cost_of, units_of
from truth_cells import Account, Truth

SHALLOW, DEEP = 3, 150  # frames at the place of work: <module>, work, shallow; <module>, work, deep, down..., bottom
DOWN = DEEP - 4
TURNS = 10
POSSIBLE = "<module>;work(;shallow(;call)?|;deep((;down){0,%d}|(;down){%d};bottom(;call)?))?" % (DOWN, DOWN)


def call(turns):
    while turns > 0:
        turns -= 1


def shallow(rounds):
    for _ in repeat(None, rounds):
        call(TURNS)  # call


def bottom(rounds):
    for _ in repeat(None, rounds):
        call(TURNS)  # call


def down(levels, rounds):
    if levels > 1:
        down(levels - 1, rounds)  # call
    else:
        bottom(rounds)  # call


def deep(rounds):
    down(DOWN, rounds)  # call


def in_turn(blocks, costs, turn_ns):
    """Strictly in turn, but of random length: no rhythm that a sampler could fall in with."""
    chance, planned = random.Random(1), []
    for _ in range(1000):
        for number, block in enumerate(blocks):
            length_ns = 2 * block.share * turn_ns * chance.uniform(0.5, 1.5)
            planned.append((number, max(1, int((length_ns - fixed_ns[number]) / costs[number]))))
    return planned


def work():
    Account(truth).run(blocks, 1000 * said.us, in_turn)  # call


said = truth_cells.options(__doc__, us=3000)
blocks = [Block(shallow, 0.4, units=units_of(TURNS)), Block(deep, 0.6, units=units_of(TURNS))]
fixed_ns = 0, cost_of(lambda rounds: [deep(0) for _ in repeat(None, rounds)])  # the way down and up again
truth = Truth(said, __file__, ["shallow", "deep"], POSSIBLE)
work()  # call

"""Calls of about one length and of half of it, beside a loop without calls: python calls.py TRUTH_FILE --ns 300.

The shortest call that there is takes 50 to 100 ns; --ns 100 stands for that one, and a call with an argument.
"""
from itertools import repeat

import truth_cells
from blocks import CALL, TURN, Block, turns_of, units_of
from truth_cells import Account, Truth

POSSIBLE = "<module>;work(;no_calls|;shortest_calls(;shortest)?|;half_calls(;half)?|;full_calls(;full)?)?"


def no_calls(rounds):
    for _ in repeat(None, rounds):
        pass


def shortest():
    pass


def shortest_calls(rounds):
    for _ in repeat(None, rounds):
        shortest()  # call


def half(turns):
    while turns > 0:
        turns -= 1


def half_calls(rounds):
    turns = half_turns
    for _ in repeat(None, rounds):
        half(turns)  # call


def full(turns):
    while turns > 0:
        turns -= 1


def full_calls(rounds):
    turns = full_turns
    for _ in repeat(None, rounds):
        full(turns)  # call


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__, ns=300)
half_turns, full_turns = [turns_of(full, length) for length in (said.ns / 2.0, said.ns)]
if said.ns > 100:
    shorter = Block(half_calls, 0.3, units=units_of(half_turns))
else:
    shorter = Block(shortest_calls, 0.3, units=CALL)
blocks = [Block(no_calls, 0.2, units=TURN, calls=0), shorter, Block(full_calls, 0.5, units=units_of(full_turns))]
truth = Truth(said, __file__, [block.label for block in blocks], POSSIBLE)
work()  # call

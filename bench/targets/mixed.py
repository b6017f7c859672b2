"""Calls of all lengths at once, from 100 ns to 1 ms: python mixed.py TRUTH_FILE."""
from itertools import repeat

import truth_cells
from blocks import CALL, TURN, Block, turns_of, units_of
from truth_cells import Account, Truth

POSSIBLE = "<module>;work(;no_calls|;calls_100ns(;shortest)?|;calls_(300ns|1us|3us|10us|100us|1ms)(;call)?)?"


def no_calls(rounds):
    for _ in repeat(None, rounds):
        pass


def shortest():
    pass


def call(turns):
    while turns > 0:
        turns -= 1


def calls_100ns(rounds):
    for _ in repeat(None, rounds):
        shortest()  # call


def calls_300ns(rounds):
    for _ in repeat(None, rounds):
        call(turns_300ns)  # call


def calls_1us(rounds):
    for _ in repeat(None, rounds):
        call(turns_1us)  # call


def calls_3us(rounds):
    for _ in repeat(None, rounds):
        call(turns_3us)  # call


def calls_10us(rounds):
    for _ in repeat(None, rounds):
        call(turns_10us)  # call


def calls_100us(rounds):
    for _ in repeat(None, rounds):
        call(turns_100us)  # call


def calls_1ms(rounds):
    for _ in repeat(None, rounds):
        call(turns_1ms)  # call


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
turns_300ns, turns_1us, turns_3us, turns_10us, turns_100us, turns_1ms = [
    turns_of(call, length) for length in (300, 1000, 3000, 10000, 100000, 1000000)]
blocks = [
    Block(no_calls, 0.07, units=TURN, calls=0),
    Block(calls_100ns, 0.2, units=CALL),
    Block(calls_300ns, 0.05, units=units_of(turns_300ns)),
    Block(calls_1us, 0.18, units=units_of(turns_1us)),
    Block(calls_3us, 0.08, units=units_of(turns_3us)),
    Block(calls_10us, 0.22, units=units_of(turns_10us)),
    Block(calls_100us, 0.11, units=units_of(turns_100us)),
    Block(calls_1ms, 0.09, units=units_of(turns_1ms))]
truth = Truth(said, __file__, [block.label for block in blocks], POSSIBLE)
work()  # call

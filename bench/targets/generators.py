"""Calls that are no plain calls of Python by Python: python generators.py TRUTH_FILE.

Generators that pull from each other and delegate to each other, coroutines that await each other, exceptions thrown into
a generator, and functions that C code calls: frames that lie elsewhere than those of functions, or are linked otherwise.
"""
import functools
import types
from itertools import repeat

import truth_cells
from blocks import Block
from truth_cells import Account, Truth

STAGES, LEVELS = 4, 5
# Making a generator is a call, too, from 3.11 on: of `source` right below `pipelines`.
POSSIBLE = "<module>;work(%s)?" % "|".join((
    ";pipelines((;stage){0,%d}|(;stage){%d};source|;source)" % (STAGES, STAGES),
    ";delegations((;delegate){0,%d}|(;delegate){%d};leaf)" % (LEVELS, LEVELS),
    ";coroutines(;answer(;fetch(;pause)?)?)?",
    ";throws(;patient(;attend)?)?",
    ";called_by_c(;__init__|;__lt__|;add|;key(;weight)?)?"))
VALUES = [number * 7 % 16 for number in range(16)]


def source():
    for value in VALUES:
        yield value


def stage(values):
    for value in values:  # call
        yield value + 1


def pipelines(rounds):
    for _ in repeat(None, rounds):
        for _ in stage(stage(stage(stage(source())))):  # call
            pass


def leaf():
    for value in VALUES:
        yield value


def delegate(level):
    yield from (delegate(level - 1) if level > 1 else leaf())  # call


def delegations(rounds):
    for _ in repeat(None, rounds):
        for _ in delegate(LEVELS):  # call
            pass


@types.coroutine
def pause():
    yield


async def fetch():
    await pause()  # call


async def answer():
    await fetch()  # call


def coroutines(rounds):
    for _ in repeat(None, rounds):
        asked = answer()  # call
        asked.send(None)  # call
        try:
            asked.send(None)  # call
        except StopIteration:
            pass


class Refused(Exception):
    pass


def attend():
    pass


def patient():
    while True:
        try:
            yield
        except Refused:
            attend()  # call


def throws(rounds):
    waiting = patient()  # call
    next(waiting)  # call
    for _ in repeat(None, rounds):
        waiting.throw(Refused)  # call
    waiting.close()  # call


class Item(object):
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value


def weight(item):
    return -item.value


def key(item):
    return weight(item)  # call


def add(one, other):
    return one + other


def called_by_c(rounds):
    for _ in repeat(None, rounds):
        items = list(map(Item, VALUES))  # call
        items.sort()  # call
        items.sort(key=key)  # call
        functools.reduce(add, VALUES)  # call


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
blocks = [Block(pipelines, 0.25, units=6000, calls=85), Block(delegations, 0.25, units=8000, calls=101),
          Block(coroutines, 0.15, units=1000, calls=9), Block(throws, 0.15, units=600, calls=2),
          Block(called_by_c, 0.2, units=9000, calls=110)]
truth = Truth(said, __file__, [block.label for block in blocks], POSSIBLE)
work()  # call

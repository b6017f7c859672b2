"""2,000 functions, each with a code object of its own, in random order: python flat.py TRUTH_FILE."""
import itertools
import random

import truth_cells
from blocks import Block, units_of
from truth_cells import Account, Truth

SOURCE = """
def {name}():
    turns = {turns}
    while turns > 0:
        turns -= 1
"""
POSSIBLE = r"<module>;work(;many(;many_\d+)?|;some(;some_\d+)?|;few(;few_\d+)?)?"


def make_functions(group, count, turns):
    """Endlessly the functions of a group, in random order."""
    made = {}
    for number in range(count):
        name = "%s_%d" % (group, number)
        exec(compile(SOURCE.format(name=name, turns=turns), __file__, "exec"), made)
    functions = [made["%s_%d" % (group, number)] for number in range(count)]
    order = functions * 5
    random.Random(1).shuffle(order)
    return itertools.cycle(order)


def many(rounds):
    for function in itertools.islice(MANY, rounds):
        function()  # call


def some(rounds):
    for function in itertools.islice(SOME, rounds):
        function()  # call


def few(rounds):
    for function in itertools.islice(FEW, rounds):
        function()  # call


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
MANY, SOME, FEW = make_functions("many", 1500, 8), make_functions("some", 400, 40), make_functions("few", 100, 300)
blocks = [Block(many, 0.5, units=units_of(8)), Block(some, 0.2, units=units_of(40)),
          Block(few, 0.3, units=units_of(300))]
truth = Truth(said, __file__, ["many", "some", "few"], POSSIBLE)
work()  # call

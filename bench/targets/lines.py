"""Functions with several hot lines of known shares: python lines.py TRUTH_FILE.

The lines of `long_lines` are calls of C code of some 100 us. Those of `short_lines` are loops whose lines take some
10 ns each; the lines of one loop share a cell.
"""
import functools
from itertools import repeat

import truth_cells
from blocks import Block
from truth_cells import Account, Truth

POSSIBLE = "<module>;work(;long_lines|;short_lines)?"
NUMBERS = list(range(20000))
TEXT = "one two three four " * 3000
LINES = {"long_lines": (0.10, 0.25, 0.15), "short_lines": (0.2, 0.06, 0.24)}  # shares of the lines, in their order
UNITS = {"long_lines": (150000, 400000, 150000), "short_lines": (40, 25, 70)}


def long_lines(which, rounds):
    for _ in repeat(None, rounds):
        if which == 0:
            sum(NUMBERS)  # line 0
        elif which == 1:
            TEXT.split()  # line 1
        else:
            sorted(NUMBERS, reverse=True)  # line 2


def short_lines(which, rounds):
    total = 0
    if which == 0:
        for number in repeat(7, rounds):  # line 0
            total += number  # line 0
            if total > 1000:  # line 0
                total -= 1000  # line 0
    elif which == 1:
        while rounds > 0:  # line 1
            rounds -= 1  # line 1
    else:
        for _ in repeat(None, rounds):  # line 2
            max(3, total)  # line 2
    return total


def blocks_and_lines(first_cell):
    """A block for each hot line, with a cell of its own, and the cells of all lines."""
    blocks, line_labels, cell = [], {}, first_cell
    for function in (long_lines, short_lines):
        name = function.__name__
        for which, share in enumerate(LINES[name]):
            block = functools.partial(function, which)
            blocks.append(Block(block, share, label=name, units=UNITS[name][which], calls=0, cells=[cell]))
            for line in truth_cells.marked_lines(__file__, "# line %d" % which)[name]:
                line_labels["%s:%d" % (name, line)] = cell
            cell += 1
    return blocks, line_labels


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
truth = Truth(said, __file__, list(LINES), POSSIBLE, line_cells=sum(map(len, LINES.values())))
blocks, truth.description["line_labels"] = blocks_and_lines(truth.first_line_cell)
work()  # call

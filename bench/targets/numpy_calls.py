"""Long and short calls of numpy's C code: python numpy_calls.py TRUTH_FILE. Needs numpy."""
import os
from itertools import repeat

# The truth is the CPU time of one thread.
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy

import truth_cells
from blocks import Block
from truth_cells import Account, Truth

POSSIBLE = "<module>;work(;multiplying|;sorting|;decomposing|;small_vectors(;length)?)?"
GENERATOR = numpy.random.RandomState(1)
SQUARE, NUMBERS, SMALL = GENERATOR.rand(120, 120), GENERATOR.rand(10000), GENERATOR.rand(3)


def multiplying(rounds):
    for _ in repeat(None, rounds):
        SQUARE.dot(SQUARE)


def sorting(rounds):
    for _ in repeat(None, rounds):
        numpy.sort(NUMBERS)


def decomposing(rounds):
    for _ in repeat(None, rounds):
        numpy.linalg.inv(SQUARE[:60, :60])


def length(vector):
    return vector.dot(vector)


def small_vectors(rounds):
    for _ in repeat(None, rounds):
        length(SMALL)  # call


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
blocks = [Block(multiplying, 0.4, units=200000, calls=0), Block(sorting, 0.25, units=300000),
          Block(decomposing, 0.15, units=200000), Block(small_vectors, 0.2, units=700)]
truth = Truth(said, __file__, [block.label for block in blocks], POSSIBLE)
work()  # call

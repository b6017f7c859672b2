"""Many short Python processes, one after the other: python processes.py TRUTH_FILE --children 30.

Each works for 50 ms of CPU time, first `early`, then mostly `late`: who notices a process late has too little of
`early`.
"""
import os
import random
import subprocess

import truth_cells
from blocks import BLOCK_NS
from clocks import thread_clock
from truth_cells import Account, Truth

SHARES = {"early": 0.3, "late": 0.7}
BLOCKS = 50
POSSIBLE = "(<module>(;python_command(;<listcomp>)?|;start_children|;work(;early(;call)?|;late(;call)?)?)?)?"


def call(turns):
    while turns > 0:
        turns -= 1


def early(until_ns):
    while clock() < until_ns:
        call(200)  # call


def late(until_ns):
    while clock() < until_ns:
        call(200)  # call


def work(number):
    """What a child does."""
    truth.watch()
    account, chance = Account(truth, number), random.Random(number)
    truth.progress[number] = truth.read(0)  # of the children before
    for block in range(BLOCKS):
        function = early if block < 0.2 * BLOCKS or chance.random() < 0.125 else late
        until_ns = clock() + chance.uniform(0.8, 1.2) * BLOCK_NS
        account.block([truth.cell(function.__name__, number)], function, until_ns)  # call
    truth.judge()
    account.settle()


def python_command():
    """The words that start this interpreter; it may have been started through a dynamic loader."""
    with open("/proc/self/cmdline") as line:
        words = line.read().split("\0")
    last = [os.path.basename(word).startswith("python") for word in words].index(True)
    return words[:last + 1]


def start_children():
    truth.ready(shares=SHARES, processes=said.children)
    for number in range(said.children):
        words = [__file__, said.truth_file] + "--children {0.children} --check {0.check} --number".format(said).split()
        subprocess.check_call(python + words + [str(number)])


said = truth_cells.options(__doc__, children=30, number=-1)
truth = Truth(said, __file__, list(SHARES), POSSIBLE, threads=said.children, waits=True,
              new=said.number < 0)
clock = thread_clock()
python = python_command()  # call
if said.number < 0:
    start_children()  # call
else:
    work(said.number)  # call

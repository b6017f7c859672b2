"""Many threads, of which some compute and the others wait: python threads.py TRUTH_FILE --threads 200 --busy 3.

The busy ones contend for the GIL. The truth is the CPU time of each of them.
"""
import threading
from itertools import repeat

import truth_cells
from blocks import CALL, TURN, Block, units_of
from truth_cells import Account, Truth

LEVELS = 10  # how deep a waiting thread stands
TURNS = 40
BLOCKS = "(;no_calls|;short_calls(;short)?|;tiny_calls(;tiny)?)?"
POSSIBLE = "<module>;wait_forever|asleep(;asleep){%d}|busy;work%s" % (LEVELS, BLOCKS)


def no_calls(rounds):
    for _ in repeat(None, rounds):
        pass


def short(turns):
    while turns > 0:
        turns -= 1


def short_calls(rounds):
    for _ in repeat(None, rounds):
        short(TURNS)  # call


def tiny():
    pass


def tiny_calls(rounds):
    for _ in repeat(None, rounds):
        tiny()  # call


def work(thread):
    Account(truth, thread).run(blocks_of(thread), ready=everybody.arrive_and_wait)  # call


def busy(thread):
    work(thread)  # call


def asleep(levels):
    if levels > 0:
        asleep(levels - 1)  # call
    else:
        everybody.arrive()
        forever.wait()


def blocks_of(thread):
    """Each thread has another mixture."""
    shares = [(0.5, 0.3, 0.2), (0.2, 0.3, 0.5), (0.1, 0.8, 0.1), (0.3, 0.1, 0.6)][thread % 4]
    return [Block(no_calls, shares[0], units=TURN, calls=0), Block(short_calls, shares[1], units=units_of(TURNS)),
            Block(tiny_calls, shares[2], units=CALL)]


def wait_forever():
    everybody.begin()
    forever.wait()


def start(function, argument):
    thread = threading.Thread(target=function, args=(argument,))
    thread.daemon = True
    thread.start()


said = truth_cells.options(__doc__, threads=8, busy=2)
truth = Truth(said, __file__, ["no_calls", "short_calls", "tiny_calls"], POSSIBLE, threads=said.busy,
              all_threads=said.threads)
everybody = truth_cells.Gathering(truth, said.threads - 1)
forever = threading.Event()
for number in range(said.threads - 1 - said.busy):
    start(asleep, LEVELS)
for number in range(said.busy):
    start(busy, number)
wait_forever()

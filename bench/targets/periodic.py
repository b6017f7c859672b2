"""A rhythm that beats with that of a sampler: python periodic.py TRUTH_FILE --us 1000 --busy 100.

Each period of the wall clock begins with `first` (30 % of the busy part), then comes `second`; with --busy 60 the
program sleeps for the last 40 % of the period. A sampler that looks every millisecond always meets the same phase.
"""
import time

import truth_cells
from truth_cells import Account, Truth

POSSIBLE = "<module>;work(;first|;second)?"
FIRST = 0.3
wall_clock = getattr(time, "perf_counter", time.time)


def first(until):
    while wall_clock() < until:
        pass


def second(until):
    while wall_clock() < until:
        pass


def work():
    """Periods that passed while somebody else had the CPU are skipped."""
    account, period_s = Account(truth), said.us / 1e6
    busy_s = period_s * said.busy / 100
    cells = [truth.cell("first")], [truth.cell("second")]
    truth.watch()
    for number in range(2 * said.check):
        (first if number % 2 else second)(wall_clock() + 0.00005)  # call
    truth.ready(shares={"first": FIRST, "second": 1 - FIRST}, by_wall_clock=True, tolerance_s=period_s + 0.0002)
    account.begin()
    while True:
        begins = wall_clock() // period_s * period_s
        account.block(cells[0], first, begins + FIRST * busy_s)  # call
        account.block(cells[1], second, begins + busy_s)  # call
        if said.busy < 100:
            time.sleep(max(0, begins + period_s - wall_clock()))


said = truth_cells.options(__doc__, us=1000, busy=100)
truth = Truth(said, __file__, ["first", "second"], POSSIBLE, waits=said.busy < 100)
work()  # call

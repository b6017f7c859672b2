"""Computes in C++ for ever, in rounds of some 100 us each, and keeps account of each (see flametap_truth.cc).

How long each round is, chance decides: rounds of one length could keep step with the ticks of the scheduler, at which a
sampler gets its turn on a busy machine.

    native_rounds.py COUNTERS [threads]

Each line of `loop` has one chain of calls below it, so that the possible stacks are known. With `threads` there are two
more threads, which C++ started: one never sees Python, the other calls `visited` now and then.
Says {"threads": {"main": id}} when it begins.
"""

import json
import os
import random
import sys

import flametap_truth as truth


def about(turns):
    return random.randrange(turns // 2, turns + turns // 2)


HUNDREDS = [[(about(150000), about(20), about(60000)) for _ in range(100)] for _ in range(31)]


def key():
    truth.gamma(5000)  # line: gamma


def visited():
    truth.alpha(100000)  # line: visited


def loop():
    while True:
        for hundred in HUNDREDS:
            for alpha, beta, delta in hundred:
                truth.alpha(alpha)  # line: alpha
                truth.beta(key, beta)  # line: beta
                truth.delta(delta)  # line: delta
            truth.publish()  # line: publish


truth.open_account(sys.argv[1])
if "threads" in sys.argv[2:]:
    truth.start_alone_computing()
    truth.start_visitor_computing(visited)
os.write(1, json.dumps({"threads": {"main": truth.thread_id()}}).encode("ascii") + b"\n")
loop()  # line: module

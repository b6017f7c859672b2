"""Greenlets that take turns on one C stack, for ever. Each began deep inside of calls that are over, and is continued from
inside of others, so that what lies further out on the C stack than its own calls has nothing to do with it.

Says {"workers": [...]} when all of them have begun.
"""

import functools
import json
import sys

import greenlet

NUMBERS = [number * 7919 % 3001 for number in range(3000)]
MAIN = greenlet.getcurrent()


def key(number):
    return -number


def sorting():
    while True:
        MAIN.switch()
        sorted(NUMBERS)
        sorted(NUMBERS, key=key)


def counting():
    while True:
        MAIN.switch()
        total = 0
        for number in NUMBERS:
            total += number


WORKERS = [greenlet.greenlet(sorting), greenlet.greenlet(counting)]


def begin(depth):
    if depth:
        sorted([depth], key=lambda left: begin(left - 1))
    else:
        for worker in WORKERS:
            worker.switch()


def go_on(depth):
    if depth:
        functools.reduce(lambda left, _: go_on(left - 1) or 0, [depth, 0])
    else:
        for worker in WORKERS:
            worker.switch()


begin(6)
sys.stdout.write(json.dumps({"workers": ["sorting", "counting"]}) + "\n")
sys.stdout.flush()
while True:
    for worker in WORKERS:
        worker.switch()  # one evaluating function further out than the worker's own
    go_on(3)
    go_on(12)

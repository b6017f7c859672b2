"""One thread, many functions deep, that does one thing for ever: calls Python all the time, works in C for long, or sleeps.

Says {} when it begins: paces.py calls|works|sleeps [DEPTH].
"""

import sys
import time

import picture

NUMBERS = list(range(1000000))


def leaf():
    return 1


def calls():
    while True:
        leaf()


def works():
    while True:
        sum(NUMBERS)


def sleeps():
    while True:
        time.sleep(1000)


def descend(levels, function):
    if levels > 0:
        descend(levels - 1, function)
    else:
        picture.say({})
        function()


DEPTH = int(sys.argv[2]) if len(sys.argv) > 2 else 20
sys.setrecursionlimit(DEPTH + 1000)
descend(DEPTH - 3, globals()[sys.argv[1]])

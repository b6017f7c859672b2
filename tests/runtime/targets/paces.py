"""One thread, twenty functions deep, that does one thing for ever: calls Python all the time, works in C for long, or sleeps.

Says {} when it begins: paces.py calls|works|sleeps.
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


descend(17, globals()[sys.argv[1]])

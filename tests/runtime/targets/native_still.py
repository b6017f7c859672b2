"""Threads that stand still at known places of Python and C++ (see flametap_truth.cc), each in its own way to get there.

Says {"threads": {scenario: id of the thread for the kernel}} once everybody has arrived. The stack of each scenario is
in test_native_truth.py; a line that is known by name ends with a remark.
"""

import ctypes
import json
import os

try:
    from _thread import start_new_thread
except ImportError:
    from thread import start_new_thread

import flametap_truth as truth

READY, ARRIVED = os.pipe()
NEVER, HELD_OPEN = os.pipe()
THREADS = {}


def stand():
    truth.stand(ARRIVED, NEVER)  # line: stand in Python


# Python, C++ with three inlined calls, Python, C++.
def nested():
    nested_call()  # line: nested


def nested_call():
    truth.outer(stand)  # line: nested_call


# The same functions again and again.
LEFT = [3]


def again():
    LEFT[0] -= 1
    if LEFT[0]:
        truth.outer(again)  # line: again
    else:
        stand()  # line: again at last


def diving():
    truth.dive(stand, 40)  # line: diving


# A C function of the interpreter that calls Python.
def key(item):
    stand()  # line: key
    return item


def sorting():
    sorted([1], key=key)  # line: sorting


class Dying(object):
    def __del__(self):
        stand()  # line: __del__


def dying():
    truth.drop([Dying()])  # line: dying


def inner_generator():
    yield 1
    stand()  # line: inner_generator


def generator():
    for item in inner_generator():  # line: generator
        yield item


def generating():
    truth.exhaust(generator())  # line: generating


LIBRARY = ctypes.CDLL(truth.__file__)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


def called_by_ctypes(value):
    stand()  # line: called_by_ctypes
    return value


def ctypes_calls():
    LIBRARY.truth_call_back(KEPT, 1)  # line: ctypes_calls


KEPT = CALLBACK(called_by_ctypes)


# Called in a thread that Python did not start.
def visited():
    THREADS["visited"] = truth.thread_id()
    stand()  # line: visited


def begin(scenario):
    THREADS[scenario.__name__] = truth.thread_id()
    scenario()  # line: begin


def main():
    scenarios = (nested, again, diving, sorting, dying, generating, ctypes_calls)
    for scenario in scenarios:
        start_new_thread(begin, (scenario,))
    truth.start_alone_standing(ARRIVED, NEVER)
    truth.start_visitor_standing(visited)
    for _ in range(len(scenarios) + 2):
        os.read(READY, 1)
    THREADS["main"] = truth.thread_id()
    os.write(1, json.dumps({"threads": THREADS}).encode("ascii") + b"\n")
    stand()  # line: main


main()  # line: module

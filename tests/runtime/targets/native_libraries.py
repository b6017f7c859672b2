"""Calls C and C++ libraries in turn, for ever; each has a Python function of its own. One argument: `standard` or `numpy`.

Says {"functions": [...]} once every function has run, so that all that they need is loaded.
"""

import hashlib
import json
import os
import re
import sqlite3
import sys
import zlib

TEXT = b"".join(("line %d of %d\n" % (n, n * n)).encode("ascii") for n in range(6000))
DOCUMENT = json.dumps([{"number": n, "name": "item %d" % n, "parts": [n, n + 1]} for n in range(1500)])
PATTERN = re.compile("(a|b)*c(d|e)*f")
HAYSTACK = "ababababcdedededeg" * 400


def compress():
    zlib.compress(TEXT, 6)


def digest():
    hashlib.sha256(TEXT * 8).digest()


def doubled(number):
    return number * 2


CONNECTION = sqlite3.connect(":memory:")
CONNECTION.create_function("doubled", 1, doubled)
CONNECTION.execute("create table numbers (number integer)")
CONNECTION.executemany("insert into numbers values (?)", [(n,) for n in range(20000)])


def query():
    CONNECTION.execute("select sum(doubled(number)) from numbers").fetchall()


def parse():
    json.loads(DOCUMENT)


def match():
    PATTERN.search(HAYSTACK)


def standard():
    return [compress, digest, query, parse, match]


def of_numpy():
    import numpy

    generator = numpy.random.RandomState(1)
    square = generator.rand(120, 120)
    large = generator.rand(300, 300)
    numbers = generator.rand(4000)

    def decompose():
        numpy.linalg.svd(square)

    def multiply():
        large.dot(large)

    def sort():
        numpy.sort(numbers)

    def key(number):
        return -number

    def sort_with_key():
        sorted(numbers, key=key)

    return [decompose, multiply, sort, sort_with_key]


def loop(functions):
    while True:
        for function in functions:
            function()


FUNCTIONS = standard() if sys.argv[1] == "standard" else of_numpy()
for each in FUNCTIONS:
    each()
os.write(1, json.dumps({"functions": [each.__name__ for each in FUNCTIONS]}).encode("ascii") + b"\n")
loop(FUNCTIONS)

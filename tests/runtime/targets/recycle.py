"""Makes a function, calls it, drops it, and makes the next one, with another name, at the same address.

Function number N is `fn_NNNN` in file `file_NNNN` and begins on line N % 50 + 1: name, file and line of every frame
must agree. Arguments: how many microseconds each function works. Says {"reused": share} after 2,000 functions, which do
not work yet: how many of them were at an address where another one had been; then goes on for ever.
"""

import json
import os
import sys
import time

SOURCE = """%sdef fn_%04d(end, clock):
    while clock() < end: pass
    return
"""


def make(number):
    space = {}
    exec(compile(SOURCE % ("\n" * (number % 50), number), "file_%04d" % number, "exec"), space)
    return space.pop("fn_%04d" % number)  # else the two would keep each other until the next gc


def main():
    clock = getattr(time, "perf_counter", time.time)
    duration = 0.0
    seen, reused, number = set(), 0, 0
    while True:
        function = make(number % 10000)
        if number < 2000:
            reused += id(function.__code__) in seen
            seen.add(id(function.__code__))
        elif number == 2000:
            os.write(1, json.dumps({"reused": reused / 2000.0}).encode("ascii") + b"\n")
            duration = float(sys.argv[1]) * 1e-6
        function(clock() + duration, clock)
        del function
        number += 1


main()

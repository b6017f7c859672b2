"""Eight workers of multiprocessing: python pool.py START_METHOD COUNTER_FOLDER.

Each worker computes for its share of the time, known by its number, until the file `end` appears in COUNTER_FOLDER, and
then writes there what it was and how long it worked: {"pid", "number", "wall_s"}. The parent says {} when it begins
and the pids of the workers once all of them work, and ends with them.
"""

import json
import multiprocessing
import os
import sys
import time

import picture


def even(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return total


def odd(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return total


def work(number, folder, ready):
    ready.put(os.getpid())
    began = time.monotonic()
    while not os.path.exists(os.path.join(folder, "end")):
        (odd if number % 2 else even)(20000)
    with open(os.path.join(folder, "worker-%d" % number), "w") as file:
        json.dump({"pid": os.getpid(), "number": number, "wall_s": time.monotonic() - began}, file)


def main():
    picture.say({})
    method, folder = sys.argv[1:]
    context = multiprocessing.get_context(method)
    ready = context.Queue()
    workers = [context.Process(target=work, args=(number, folder, ready)) for number in range(8)]
    for worker in workers:
        worker.start()
    picture.say({"pids": sorted(ready.get() for _ in workers)})
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()

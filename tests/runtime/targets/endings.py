"""Ends in the middle of calls: python endings.py HOW. It says {} when it is ready and waits for a line.

Then three threads and the main thread call for a while, and it ends: `return`, `exit` (sys.exit in a deep call), `raise`
(an exception that nobody catches), `_exit` (os._exit in a deep call, while threads go on), or it says {} and stays in a
deep call until it is killed (`stay`).
"""

import os
import sys
import threading
import time

import picture

entered = threading.Semaphore(0)


def leaf(number):
    return number


def numbers(count):
    for number in range(count):
        yield leaf(number)


def fails(depth):
    if depth:
        fails(depth - 1)
    raise ValueError(depth)


def one_round():
    for number in numbers(3):
        leaf(number)
    try:
        fails(3)
    except ValueError:
        pass


def rounds(count):
    for _ in range(count):
        one_round()


def rounds_for_good():
    entered.release()
    while True:
        one_round()


def deep(depth, then):
    return deep(depth - 1, then) if depth else then()


def fail():
    raise LookupError("nobody catches this")


def leave():
    sys.exit(7)


def leave_at_once():
    os._exit(7)


def stay():
    picture.say({})
    while True:
        time.sleep(1000)


def main():
    how = sys.argv[1]
    picture.say({})
    sys.stdin.readline()
    go_on = how in ("_exit", "stay")
    threads = [threading.Thread(target=rounds_for_good if go_on else rounds, args=() if go_on else (100,))
               for _ in range(3)]
    for thread in threads:
        thread.daemon = True
        thread.start()
        if go_on:
            entered.acquire()  # a thread that was started may not have called anything of ours yet
    rounds(100)
    if not go_on:
        for thread in threads:
            thread.join()
    then = {"return": lambda: None, "exit": leave, "raise": fail, "_exit": leave_at_once, "stay": stay}[how]
    deep(50, then)


if __name__ == "__main__":
    main()

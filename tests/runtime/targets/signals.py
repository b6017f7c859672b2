"""Is busy with short calls, forks children and gets signals all the time.

Arguments: a descriptor, and the number of a signal to handle. In Python 3 the interpreter itself writes the number of
every signal that arrives to the descriptor: in C, in the handler, so that none is merged with the next as in Python's
own handlers. Python 2 merges, so there the Python handler writes it, and whoever sends must wait for it before the
next one. A timer rains SIGALRM too, and the end of a child is handled. Says {} at the start, and when stdin is closed
{"forked", "reaped"}.
"""

import json
import os
import select
import signal
import sys


def say(value):
    os.write(1, json.dumps(value).encode("ascii") + b"\n")


def leaf(number):
    return number + 1


def branch(number):
    return leaf(number) + leaf(number)


def again(function, *args):
    """Python 2 leaves it to us to call again after a signal."""
    while True:
        try:
            return function(*args)
        except (OSError, IOError, select.error) as error:
            if getattr(error, "errno", None) != 4 and error.args[0] != 4:
                raise


def fork_one():
    child = os.fork()
    if child == 0:
        os._exit(7)
    return again(os.waitpid, child, 0)[1] == 7 << 8


def main():
    descriptor = int(sys.argv[1])
    if sys.version_info[0] >= 3:
        handler = lambda number, frame: None
        signal.set_wakeup_fd(descriptor)
    else:
        handler = lambda number, frame: again(os.write, descriptor, chr(number))
    for number in (int(sys.argv[2]), signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    forked = reaped = 0
    say({})
    while not again(select.select, [0], [], [], 0)[0]:
        for number in range(300):
            branch(number)
        forked += 1
        reaped += fork_one()
    signal.setitimer(signal.ITIMER_REAL, 0)
    say({"forked": forked, "reaped": reaped})


main()

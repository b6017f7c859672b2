"""Is busy with short calls, forks children and gets signals all the time.

Argument: a descriptor to which the interpreter itself writes one byte in the handler of every signal that arrives: in C, so
that none is merged with the next as in Python's own handlers. In Python 3 the byte is the signal's number; there, a timer
rains SIGALRM too. Says {} at the start, and when stdin is closed {"forked", "reaped", "odd"}.
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
    for number in (signal.SIGCHLD, signal.SIGALRM, signal.SIGRTMIN + 5 if hasattr(signal, "SIGRTMIN") else 39):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(int(sys.argv[1]))
    if sys.version_info[0] >= 3:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    forked = reaped = 0
    say({})
    while not again(select.select, [0], [], [], 0)[0]:
        for number in range(300):
            branch(number)
        forked += 1
        reaped += fork_one()
    say({"forked": forked, "reaped": reaped})


main()

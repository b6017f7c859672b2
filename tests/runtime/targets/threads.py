"""Three threads that spend their time in one way each, until stdin is closed.

`spin` runs Python all the time, `burn` computes in C without the GIL, `wait` is blocked. Says {name: kernel id} when all
of them do so. With the argument `come-and-go`, a fourth thread starts others and waits for them, for ever: `visitor`.
"""

import json
import os
import sys
import threading
import zlib

import picture

KERNEL_IDS = {}
STARTED = {name: threading.Event() for name in ("spin", "burn", "wait")}
# So long without the GIL that the wait for getting it back does not count.
LARGE = b"x" * (64 << 20)


def begin(name):
    KERNEL_IDS[name] = picture.kernel_id()
    STARTED[name].set()


def spin():
    begin("spin")
    number = 0
    while True:
        number = (number + 1) % 1000


def burn():
    begin("burn")
    while True:
        zlib.compress(LARGE)


def wait():
    silent, _ = os.pipe()
    begin("wait")
    os.read(silent, 1)


def visitor():
    for number in range(20000):
        len(str(number))


def host():
    while True:
        visits = [threading.Thread(target=visitor) for _ in range(5)]
        for visit in visits:
            visit.start()
        for visit in visits:
            visit.join()


def main():
    for function in (wait, burn, spin) + ((host,) if "come-and-go" in sys.argv else ()):
        thread = threading.Thread(target=function)
        thread.daemon = True
        thread.start()
    for started in STARTED.values():
        started.wait()
    os.write(1, json.dumps(KERNEL_IDS).encode("ascii") + b"\n")
    os.read(0, 1)
    os._exit(0)


main()

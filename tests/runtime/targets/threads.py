"""Three threads that spend their time in one way each, until stdin is closed.

`spin` runs Python all the time, `burn` computes in C without the GIL, `wait` is blocked. Says {name: kernel id} when all
of them do so. With the argument `come-and-go`, a fourth thread starts others and waits for them, for ever: `visitor`.
"""

import json
import mmap
import os
import sys
import threading
import zlib

import picture

if sys.version_info[0] == 2:
    import ctypes
    LIBC = ctypes.CDLL(None)

KERNEL_IDS = {}
STARTED = {name: threading.Event() for name in ("spin", "burn", "wait")}
# Never touched: its pages are all the one page of zeros. To read it takes longer than any test, so that nobody ever asks
# `spin` for the GIL.
HUGE = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE


def begin(name):
    KERNEL_IDS[name] = picture.kernel_id()
    STARTED[name].set()


def spin():
    begin("spin")
    number = 0
    while True:
        number = (number + 1) % 1000


def burn():
    if sys.version_info[0] > 2:
        begin("burn")
        while True:
            zlib.crc32(HUGE)
    # Python 2 keeps the GIL while it makes a checksum.
    address = ctypes.addressof(ctypes.c_char.from_buffer(HUGE))
    begin("burn")
    while True:
        LIBC.memchr(ctypes.c_void_p(address), 1, ctypes.c_size_t(len(HUGE)))


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

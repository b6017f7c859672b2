"""Threads that stay in one state for good: python states.py COUNTER_FILE.

"computes" (the main thread) holds the GIL and never gives it away: the switch interval is longer than any test. "wants"
wakes up from a short sleep and waits for the GIL ever after. "sums" is in one long call of C code that has released the
GIL. "sleeps" sleeps. Says {"kernel_ids": {name: id}}; the counter moves only once "computes" has held the GIL so long that
"wants" must be waiting for it.

With "gc" as a second word, the main thread collects garbage for good instead: it calls back in the midst of it.
"""

import gc
import mmap
import struct
import sys
import threading
import time
import weakref
import zlib

import picture

HUGE = 1 << 36  # never touched: its pages are all the one page of zeros
LONG_ENOUGH_S = 0.2  # for a thread that sleeps a hundredth of this to wake up
SLEEPS = ("35", "230", "23", "270")  # the system calls of time.sleep()


def sums():
    zeros = mmap.mmap(-1, HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
    entered["sums"].set()
    zlib.crc32(zeros)


def wants():
    entered["wants"].set()
    while True:
        time.sleep(LONG_ENOUGH_S / 100)


def sleeps():
    entered["sleeps"].set()
    time.sleep(1000)


def advance():
    counters[0:8] = struct.pack("=q", struct.unpack_from("=q", counters, 0)[0] + 2)


def computes():
    began = time.time()
    while True:
        if time.time() - began > LONG_ENOUGH_S:
            advance()


class Node(object):
    pass


def collects():
    def in_the_midst(reference):
        while True:
            advance()

    node = Node()
    node.itself = node
    reference = weakref.ref(node, in_the_midst)
    del node
    gc.collect()
    assert False, reference


def start(function):
    def run():
        kernel_ids[function.__name__] = picture.kernel_id()
        function()

    entered[function.__name__] = threading.Event()
    thread = threading.Thread(target=run)
    thread.daemon = True
    thread.start()
    entered[function.__name__].wait()


def wait_until(condition):
    while not condition():
        time.sleep(0.001)


def told_of(name, file):
    with open("/proc/self/task/%d/%s" % (kernel_ids[name], file)) as told:
        return told.read().rpartition(")")[2].split()


with open(sys.argv[1], "r+b") as file:
    counters = mmap.mmap(file.fileno(), 4096)
entered, kernel_ids = {}, {"main": picture.kernel_id()}
if sys.argv[2:] == ["gc"]:
    picture.say({"kernel_ids": kernel_ids})
    collects()
for function in (sleeps, sums, wants):
    start(function)
# From here on no other thread gets the GIL, so all of them must have reached their state.
wait_until(lambda: int(told_of("sums", "stat")[11]) > 2)  # in ticks of computing: it has released the GIL
wait_until(lambda: told_of("sleeps", "syscall")[0] in SLEEPS)
sys.setswitchinterval(1000)
picture.say({"kernel_ids": kernel_ids})
computes()

"""Threads that run one after the other, each with a name and a function of its own: python relay.py SECONDS COUNT.

Thread `thr-7` runs the function `f_7`. Each takes the memory, and so the ident, of the one before.
"""
import sys
import threading
import time

seconds, count = float(sys.argv[1]), int(sys.argv[2])
SOURCE = """
def f_%d():
    end = time.time() + seconds
    while time.time() < end:
        pass
"""
for number in range(count):
    exec(SOURCE % number)
    thread = threading.Thread(target=globals()["f_%d" % number], name="thr-%d" % number)
    thread.start()
    thread.join()

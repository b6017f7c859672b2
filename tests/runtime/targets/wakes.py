"""Threads that sleep for a moment, again and again, and each time must wait for the GIL, which others are busy with.

Says {} when all of them have begun.
"""

import select
import sys
import threading
import time


def busy():
    while True:
        sum(range(100))


def polls():
    poll = select.epoll()
    while True:
        poll.poll(0.01)


def sleeps():
    while True:
        time.sleep(0.01)


for function in (busy, busy, polls, sleeps):
    thread = threading.Thread(target=function)
    thread.daemon = True
    thread.start()
sys.stdout.write("{}\n")
sys.stdout.flush()
busy()

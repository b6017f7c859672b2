# -*- coding: utf-8 -*-
"""Threads with names of all kinds, all of them blocked until stdin is closed.

Says {ident: the name that `threading` knows}; threads that `threading` does not know are missing there.
"""

import json
import sys
import threading

try:
    import _thread
except ImportError:
    import thread as _thread

NAMES = ["worker-7", "", u"café", u"日本", u"😀 and more", "a" * 300]


class Laden(threading.Thread):
    """Has more attributes than an object can keep outside of a dictionary."""

    def __init__(self, **options):
        threading.Thread.__init__(self, **options)
        for i in range(60):
            setattr(self, "attribute_%d" % i, i)


class Plain(threading.Thread):
    def __init__(self, **options):
        self.before = "set before the attributes of Thread"
        threading.Thread.__init__(self, **options)
        self.after = [1, 2, 3]


class Derived(threading.Thread):
    """Its name is not an instance variable of its own class."""

    name_of_class = "no name"


class Tagged(str):
    """Stays what it is when `threading` asks for a str, which keeps its characters elsewhere than a plain one."""

    def __str__(self):
        return self


def as_name(text):
    # The names of 2.7 are bytes.
    return text.encode("utf-8") if str is bytes and not isinstance(text, str) else text


def as_text(name):
    return name.decode("utf-8") if isinstance(name, bytes) else name


class Barrier(object):
    def __init__(self):
        self.arrived = threading.Semaphore(0)
        self.over = _thread.allocate_lock()
        self.over.acquire()

    def block(self):
        self.arrived.release()
        self.over.acquire()
        self.over.release()


def block_as_foreigner(barrier, known):
    if known:
        known.append(threading.current_thread().name)
    barrier.block()


def make_threads(barrier):
    threads = [threading.Thread(target=barrier.block, name=as_name(name)) for name in NAMES]
    threads.append(threading.Thread(target=barrier.block))
    threads.append(Laden(target=barrier.block, name=as_name(u"laden é")))
    threads.append(Plain(target=barrier.block, name="plain"))
    threads.append(Derived(target=barrier.block, name="derived"))
    threads.append(threading.Thread(target=barrier.block, name=Tagged("of a subclass of str")))
    looked_at = threading.Thread(target=barrier.block, name="looked at")
    assert vars(looked_at)  # makes a dictionary of attributes that had none
    threads.append(looked_at)
    changed = threading.Thread(target=barrier.block, name="one attribute less")
    changed.extra = 1
    del changed.extra
    changed.__dict__ = dict(changed.__dict__)
    threads.append(changed)
    return threads


def main():
    barrier = Barrier()
    threads = make_threads(barrier)
    renamed = threading.Thread(target=barrier.block, name="before")
    threads.append(renamed)
    for thread in threads:
        thread.daemon = True
        thread.start()
    renamed.name = as_name(u"after 改名")
    known = [True]
    _thread.start_new_thread(block_as_foreigner, (barrier, known))
    _thread.start_new_thread(block_as_foreigner, (barrier, []))
    for _ in range(len(threads) + 2):
        barrier.arrived.acquire()
    if "many-modules" in sys.argv:
        for i in range(3000):
            sys.modules["module_%d" % i] = sys
    said = {str(thread.ident): as_text(thread.name) for thread in threading.enumerate()}
    assert len(said) == len(threads) + 2  # the main thread, and the foreigner that asked who it is
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


main()

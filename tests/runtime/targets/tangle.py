# -*- coding: utf-8 -*-
"""Several threads, each blocked for good at another point of a tangle of all that CPython can have on its stacks.

Says {"python", "stacks": {ident: frames}, "kernel_ids": {ident: id}} once nothing moves any more. Arguments: none.
"""

import functools
import os
import signal
import sys
import threading

import picture

PY3 = sys.version_info[0] >= 3
THREADS = 8

try:
    get_ident = threading.get_ident
except AttributeError:
    from thread import get_ident


# Every layer calls `go` in its own way; a tangle is a chain of layers that ends in something that blocks.

def plain(go):
    go()


def several_lines(go):
    sorted(
        [
            1,
        ],
        key=lambda _: (
            go()
        ),
    )


def nested(go):
    def outer():
        def inner():
            return go()
        return inner()
    return outer()


class Methods(object):
    def method(self, go):
        return self.static(go)

    @staticmethod
    def static(go):
        return Methods.of_class(go)

    @classmethod
    def of_class(cls, go):
        return cls().attribute(go)

    def __getattr__(self, name):
        return self

    def __call__(self, go):
        with self:
            self.go = go

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        return False

    def __setattr__(self, name, value):
        value()


def methods(go):
    Methods().method(go)


def anonymous(go):
    (lambda: (lambda: go())())()


def comprehensions(go):
    [[go() for _ in (1,)] for _ in (1,)]
    {1: 2 for _ in (1,)}


def of_set_and_dict(go):
    {key: {value for value in (go(),)} for key in (1,)}


def generators(go):
    def numbers():
        yield 1
        yield go()

    def squares(source):
        for number in source:
            yield number

    for _ in squares(each for each in numbers()):
        pass


def decorated(go):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)
        return wrapper

    @decorator
    @decorator
    def function():
        go()

    function()


def class_body(go):
    class Body(object):
        class Inner(object):
            value = go()


def metaclass(go):
    class Meta(type):
        def __new__(mcs, name, bases, namespace):
            go()
            return type.__new__(mcs, name, bases, namespace)

    Meta("Made", (object,), {})


def from_c(go):
    list(map(lambda _: functools.reduce(lambda x, y: go(), [1, 2]), [1]))


def sort_key(go):
    def key(_):
        return go()
    [3].sort(key=key)
    max([1], key=key)


def iterator(go):
    class Numbers(object):
        def __iter__(self):
            return self

        def __next__(self):
            go()
            raise StopIteration
        next = __next__

    for _ in Numbers():
        pass


def handlers(go):
    try:
        try:
            raise ValueError("on purpose")
        finally:
            len(())
    except ValueError:
        go()


def destructor(go):
    class Last(object):
        def __del__(self):
            go()

    last = Last()
    del last


def executed(go):
    source = "\n\n\ndef made():\n    x = 1\n    return go()\nresult = made(\n)\n"
    exec(compile(source, "<made; at run time\n>", "exec"), {"go": go})


def odd_names(go):
    # In Python 2 a file name is bytes and a function's name is ASCII.
    names = (u"é", u"名前", u"\U00020000") if PY3 else ("e", "n", "u")
    folder = u"Ordner ü/名前 \U0001F600.py"
    for name in names:
        space = {"go": go}
        source = u"# -*- coding: utf-8 -*-\ndef f_%s():\n    return go()\n" % name
        source, file = (text if PY3 else text.encode("utf-8") for text in (source, folder))
        exec(compile(source, file, "exec"), space)
        go = space["f_" + name]
    go()


def long_name(go):
    name = "f" * 3000
    space = {"go": go}
    exec(compile("def %s(): return go()\n" % name, "g" * 3000, "exec"), space)
    space[name]()


def far_down(go):
    # Line numbers and jumps that need more than one entry of the line table.
    space = {"go": go}
    source = "def f():\n" + "\n" * 70000 + "    return (" + "\n" * 300 + "go(" + "\n" * 300 + "))\n"
    exec(compile(source, "far", "exec"), space)
    space["f"]()


def deep(go, depth=300):
    if depth == 0:
        return go()
    return deep(go, depth - 1)


LAYERS = [
    plain, several_lines, nested, methods, anonymous, comprehensions, of_set_and_dict, generators, decorated,
    class_body, metaclass, from_c, sort_key, iterator, handlers, destructor, executed, odd_names, long_name, far_down,
    deep,
]
if PY3:
    import tangle_py3
    LAYERS += tangle_py3.LAYERS


def tangle(layers, block):
    """A callable without frames of its own between the layers."""
    go = block
    for layer in layers:
        go = functools.partial(layer, go)
    return go


# What a thread blocks in. Nobody ever writes to the pipe or lets go of the lock.

SILENT, _keep_open = os.pipe()
LOCK = threading.Lock()
LOCK.acquire()
EVENT = threading.Event()


def in_read():
    os.read(SILENT, 1)


def in_lock():
    LOCK.acquire()


def in_event():
    EVENT.wait()


def in_blocked_c_call():
    # The file object keeps a lock of its own and calls read() without a frame.
    os.fdopen(os.dup(SILENT), "rb").read()


BLOCKS = [in_read, in_lock, in_event, in_blocked_c_call]
KERNEL_IDS = {}


def worker(number):
    KERNEL_IDS[str(get_ident())] = picture.kernel_id()
    start = number * len(LAYERS) // THREADS
    tangle(LAYERS[start:] + LAYERS[:start], BLOCKS[number % len(BLOCKS)])()


def photographer():
    KERNEL_IDS[str(get_ident())] = picture.kernel_id()
    picture.wait_for_others(THREADS + 1)
    tangle(LAYERS, look)()


def look():
    own = sys._getframe()
    report(own); os.read(SILENT, 1)  # one line, so that the picture is also true of the moment after it


def report(own):
    version = "%d.%d.%d" % sys.version_info[:3]
    picture.say({"python": version, "pid": os.getpid(), "stacks": picture.stacks(own), "kernel_ids": KERNEL_IDS})


def main():
    KERNEL_IDS[str(get_ident())] = picture.kernel_id()
    for number in range(THREADS):
        threading.Thread(target=worker, args=(number,)).start()
    threading.Thread(target=photographer).start()
    # A handler of a signal runs on the main thread alone, so it cannot be one of the layers.
    signal.signal(signal.SIGUSR1, lambda number, frame: deep(in_read))
    os.kill(os.getpid(), signal.SIGUSR1)
    in_read()


sys.setrecursionlimit(10000)
threading.stack_size(64 << 20)
main()

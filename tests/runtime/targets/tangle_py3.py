"""The layers of tangle.py whose syntax or library Python 2 does not know."""

import importlib
import os
import sys
import tempfile
import threading


def delegated(go):
    def inner():
        yield 1
        yield go()

    def outer():
        yield from inner()

    for _ in outer():
        pass


class Wait:
    """Something to await that runs `go` in the middle of it."""

    def __init__(self, go):
        self.go = go

    def __await__(self):
        self.go()
        yield


def coroutines(go):
    async def inner():
        await Wait(go)

    async def outer():
        await inner()

    outer().send(None)


def async_syntax(go):
    class Manager:
        async def __aenter__(self):
            await Wait(go)

        async def __aexit__(self, *exc_info):
            pass

    async def numbers():
        async with Manager():
            yield 1

    async def outer():
        return [number async for number in numbers()]

    outer().send(None)


def keyword_only(go):
    def function(*, first, second=None, **rest):
        return f"{first() if first else ''}"
    function(first=lambda: go() or "")


def class_hooks(go):
    class Base:
        def __init_subclass__(cls, **kwargs):
            go()

    class Derived(Base):
        pass


def imported(go):
    """The frames of the import system lie in between: frozen code, without a file."""
    folder = tempfile.mkdtemp()
    name = "made_%d" % threading.get_ident()
    path = os.path.join(folder, name + ".py")
    with open(path, "w") as file:
        file.write("import sys\n\nsys.modules[__name__].__loader__\nsys.modules['tangle_py3'].GOES[__name__]()\n")
    GOES[name] = go
    sys.dont_write_bytecode = True
    # Nobody has looked into it before, so that no cache need be invalidated, which fails while other threads import.
    sys.path.insert(0, folder)
    importlib.import_module(name)


GOES = {}

LAYERS = [delegated, coroutines, async_syntax, keyword_only, class_hooks, imported]

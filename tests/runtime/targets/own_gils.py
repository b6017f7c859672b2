"""Two interpreters with a GIL of their own (3.12+), each computing in a thread of its own.

Says {"kernel_ids": {name: id}} when both are about to compute.
"""

import os
import sys
import threading

import picture

COMPUTE = """
import os
os.write(%d, b"x")
total = 0
while True:
    total += 1
"""

try:
    import _interpreters

    def create():
        return _interpreters.create("isolated")
except ImportError:
    import _xxsubinterpreters as _interpreters

    def create():
        return _interpreters.create(isolated=True)


def run(name, tell):
    kernel_ids[name] = picture.kernel_id()
    _interpreters.run_string(create(), COMPUTE % tell)


kernel_ids = {}
told, tell = os.pipe()
for name in ("first", "second"):
    threading.Thread(target=run, args=(name, tell), daemon=True).start()
for _ in range(2):
    os.read(told, 1)
picture.say({"kernel_ids": kernel_ids})
threading.Event().wait()

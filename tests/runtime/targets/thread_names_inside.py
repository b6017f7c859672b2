"""A thread called "host" runs a sub-interpreter, whose own thread is called "inside"; all are blocked for good.

In 3.9 to 3.11 a sub-interpreter may have no threads of its own; then there is none.
Says {ident: name}.
"""

import json
import os
import sys
import threading

from subinterpreter import way_to_run

INSIDE = """
import os
import threading

def tell(text):
    os.write(%d, (text + chr(10)).encode("ascii"))

def block():
    tell(str(threading.current_thread().ident))
    os.read(%d, 1)

try:
    threading.Thread(target=block, name="inside").start()
except RuntimeError:
    tell("")
os.read(%d, 1)
"""


def say(thing):
    sys.stdout.write(json.dumps(thing) + "\n")
    sys.stdout.flush()


def main():
    run = way_to_run()
    silent, _ = os.pipe()
    told, tell = os.pipe()
    host = threading.Thread(target=run, args=(INSIDE % (tell, silent, silent),), name="host")
    host.start()
    with os.fdopen(told) as lines:
        inside = lines.readline().strip()
    names = {str(threading.current_thread().ident): "MainThread", str(host.ident): "host"}
    if inside:
        names[inside] = "inside"
    say(names)
    os.read(silent, 1)


main()

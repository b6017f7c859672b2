"""A thread gets a name, loses it and makes another text where it was, all the time, until stdin is closed.

Says which names there are. No thread is ever called by the other text.
"""

import json
import sys
import threading

NAME = "flicker-a"
OTHER_TEXT = "never-so!"  # as long
ATTRIBUTE = "_name" if sys.version_info >= (3,) else "_Thread__name"


def flicker(over):
    own = threading.current_thread()
    name, other, join = list(NAME), list(OTHER_TEXT), "".join
    while not over.is_set():
        for _ in range(1000):
            setattr(own, ATTRIBUTE, join(name))
            setattr(own, ATTRIBUTE, "")
            text = join(other)
            del text


def main():
    over = threading.Event()
    thread = threading.Thread(target=flicker, args=(over,), name=NAME)
    thread.start()
    sys.stdout.write(json.dumps([threading.current_thread().name, NAME, ""]) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    over.set()


main()

"""A recursion 20,000 calls deep that is then blocked for good. Says {"frames"} of that thread, the innermost first."""

import os
import sys
import threading

import picture

DEPTH = 20000


def down(depth):
    if depth:
        return down(depth - 1)
    own = sys._getframe()
    picture.say({"frames": picture.describe(own)}); os.read(SILENT, 1)


SILENT, _keep_open = os.pipe()
sys.setrecursionlimit(DEPTH + 1000)
threading.stack_size(1 << 30)
thread = threading.Thread(target=down, args=(DEPTH,))
thread.start()
thread.join()

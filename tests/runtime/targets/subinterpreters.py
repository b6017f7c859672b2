"""Two sub-interpreters, each blocked for good in a function of its own, called from threads of the main interpreter.

Says {"stacks": {ident: frames}, "inside": [frames, ...]}. With the word "spin", the main thread itself spins in another
interpreter instead, and says so.
"""

import ast
import os
import sys
import threading

import picture
from subinterpreter import way_to_run

INSIDE = """
import os
import sys

def describe(frame):
    frames = []
    while frame is not None:
        code = frame.f_code
        frames.append((getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return frames

def block(depth):
    if depth:
        return block(depth - 1)
    own = sys._getframe()
    os.write(%d, (repr(describe(own)) + chr(10)).encode("ascii")); os.read(%d, 1)

block(%d)
"""


def main():
    run = way_to_run()
    if sys.argv[1:] == ["spin"]:
        run("import os\nos.write(1, b'{}\\n')\nwhile True: pass\n")
    silent, _ = os.pipe()
    inside = []
    for depth in (3, 30):
        told, tell = os.pipe()
        threading.Thread(target=run, args=(INSIDE % (tell, silent, depth),)).start()
        with os.fdopen(told) as lines:
            frames = ast.literal_eval(lines.readline())
        inside.append([{"name": name, "file": file, "line": line} for name, file, line in frames])
    picture.wait_for_others(2)
    own = sys._getframe()
    picture.say({"stacks": picture.stacks(own), "inside": inside}); os.read(silent, 1)


main()

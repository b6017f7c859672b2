"""Objects of many kinds, and a function that holds the GIL for good.

Says {"objects": [[address, how it is to be written], ...], "ident": of its thread, "function": [name, line, flags] of
what it runs from then on}.
"""

import json
import sys
import threading

PYTHON2 = sys.version_info[0] == 2


class Point(object):
    pass


class Number(int):
    pass


class Name(str):
    pass


SIMPLE = [
    None, True, False, 0, 1, -1, 255, 2 ** 30 - 1, 2 ** 30, -2 ** 30, 2 ** 31, 2 ** 60, -2 ** 62,
    0.0, -0.0, 1.0, 0.1, 1e22, 1.5e-7, -2.5e300, 1e16, 123456789012345.6, float("inf"), float("nan"),
    "", "plain", "it's", 'say "it\'s"', "back\\slash", "line\nline\ttab\r\0\x1b\x7f",
    (), (1,), (1, "two", None), [], [1], [1, [2, (3.5, b"x")]][0:1], ([1, 2], ("a", "b")),
    tuple(range(16)), list(range(16)),
]  # fmt: skip
WRITTEN = [
    (Point(), "<__main__.Point>"),
    (Number(7), "<__main__.Number>"),
    (Name("x"), "<__main__.Name>"),
    ({}, "<dict>"),
    (int, "<type>"),
    (list(range(17)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, " + "\\u2026]"),
    ([[[[1]]]], "[[[[\\u2026]]]]"),
    ("x" * 5000, "'" + "x" * 4096 + "'\\u2026"),
]
if PYTHON2:
    WRITTEN += [(2 ** 100, "<long>"), (Point, "<type>")]
else:
    SIMPLE += [2 ** 100, -2 ** 1000, 10 ** 500]
    SIMPLE += ["caf\xe9", "\u20ac \u4e2d", "\U0001f600 mixed \xe9", "\xa0\u200b\u202e", "\udc80", "\ufeff"]
    SIMPLE += [b"", b"bytes", b"it's\x00\xff\n"]
    WRITTEN += [(10 ** 600, "<int>"), (threading.current_thread(), "<threading._MainThread>")]


def spin():
    while True:
        pass


def main():
    expected = [(thing, repr(thing)) for thing in SIMPLE]
    expected += [(thing, json.loads('"%s"' % text.replace('"', '\\"'))) for thing, text in WRITTEN]
    said = {
        "objects": [[id(thing), text] for thing, text in expected],
        "ident": threading.current_thread().ident,
        "function": [spin.__code__.co_name, spin.__code__.co_firstlineno, spin.__code__.co_flags],
    }
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    spin()


main()

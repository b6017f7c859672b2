"""Runs in every interpreter, 2.7 included: prints line tables with that interpreter's own answers.

One line per code object, in the form that `cpython_check lines` reads; the argument is the kind of the tables.
"""

from __future__ import print_function

import ctypes
import os
import sys

MODULES = """
    argparse.py bdb.py collections/__init__.py difflib.py email/message.py inspect.py pickle.py subprocess.py
    threading.py typing.py unittest/case.py weakref.py
""".split()

# What the standard library has too little of: steps of more than a byte, backwards, and code without a line.
TRICKS = (
    "def far():\n    a = 1\n" + "\n" * 1000 + "    return (a,\n" + "\n" * 200 + "            a)\n",
    "x = [\n" + "".join("    f(%d,\n      %d),\n" % (i, i) for i in range(300)) + "]\n",
    "def back(a):\n    return a(\n        1,\n        2)(\n    3)[\n  a\n  ].b\n",
    "def ends(a):\n    try:\n        with a as b:\n            b()\n    except E as e:\n        pass\n    finally:\n        a()\n",
    "def loops(a):\n    while a:\n        for b in a:\n            if b: continue\n        else:\n            break\n",
    "@one\n@two(\n  3)\nclass C(\n    B):\n    x = 1\n    @three\n    def m(self): return [i for i in\n   self if i]\n",
    "def gen():\n    x = yield\n    yield (\n   x)\n    return\n",
    "def long():\n    return " + " + ".join("a%d" % i for i in range(400)) + "\n",
    "",
    "\n\n\n'doc'\n",
)

addr2line = ctypes.pythonapi.PyCode_Addr2Line
addr2line.argtypes = [ctypes.py_object, ctypes.c_int]
addr2line.restype = ctypes.c_int


def all_codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            for inner in all_codes(constant):
                yield inner


def sources():
    library = os.path.dirname(os.__file__)
    for module in MODULES:
        path = os.path.join(library, module)
        if os.path.exists(path):
            with open(path, "rb") as source:
                yield source.read()
    for trick in TRICKS:
        yield trick.encode("ascii")


def print_case(kind, code):
    table = bytearray(code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab)
    step = 1 if kind.startswith("lnotab") else 2
    offsets = [-1] + list(range(0, len(code.co_code), step))
    answers = " ".join("%d:%d" % (offset, addr2line(code, offset)) for offset in offsets)
    print(kind, code.co_firstlineno, "".join("%02x" % byte for byte in table) or "-", answers)


def main():
    for source in sources():
        for code in all_codes(compile(source, "source", "exec", 0, True)):
            print_case(sys.argv[1], code)


main()

"""Collections of garbage, imports and audit events, the same ones in each run: python markers.py HOW WHAT.

HOW is `plain`, to be traced from outside, or `counted`, to write them down itself; WHAT is gc, import or audit. It says
{} when it is ready and waits for a line. Then it does them, and says {"seen": [...]} if it wrote them down.
"""

import gc
import os
import sys

import picture


class Ring(object):
    def __init__(self):
        self.myself = self


def collect():
    for size in (0, 1, 10, 1000):
        for generation in (0, 1, 2):
            rings = [Ring() for _ in range(size)]
            del rings
            gc.collect(generation)


def note_collections(seen):
    def note(phase, info):
        if phase == "start":
            seen.append(["gc_start", info["generation"]])
        else:
            seen.append(["gc_done", info["collected"] + info["uncollectable"]])

    gc.callbacks.append(note)


def import_some():
    import colorsys, fractions, plistlib, xml.dom.minidom, json.tool  # noqa: E401
    import colorsys as again

    for name in ("no_such_module", "json.no_such_module", "wave"):
        try:
            __import__(name)
        except ImportError:
            pass
    return colorsys, fractions, plistlib, xml, json, again


def note_imports(seen):
    machinery = sys.modules["_frozen_importlib"]
    find_and_load = machinery._find_and_load

    def note(name, *others):
        # Where the machinery calls itself, for the package around a module, no marker tells of it.
        if sys._getframe(1).f_code.co_name == "_gcd_import":
            return find_and_load(name, *others)
        seen.append(["import_start", name])
        found = False
        try:
            module = find_and_load(name, *others)
            found = True
            return module
        finally:
            seen.append(["import_done", name, found])

    machinery._find_and_load = note


def audit():
    sys.audit("flametap.begin")
    sys.audit("flametap.numbers", 0, 1, -1, 10**9, -(10**9), 2**62)
    sys.audit("flametap.constants", True, False, None)
    sys.audit("flametap.texts", "", "plain", "it's", "caf\u00e9", b"bytes")
    sys.audit("flametap.nested", (1, "two", (3,)))
    for number in range(1000):
        sys.audit("flametap.many", number)
    with open(os.devnull) as file:
        file.read()
    compile("1 + 1", "<text>", "eval")
    os.listdir("/")
    sys.audit("flametap.end")


def note_audits(seen):
    plain = (int, str, bytes, bool, type(None))

    def is_plain(value):
        return isinstance(value, plain) or isinstance(value, tuple) and all(map(is_plain, value))

    def note(name, arguments):
        seen.append([name, repr(arguments) if is_plain(arguments) else None])

    sys.addaudithook(note)


def main():
    how, what = sys.argv[1:]
    act, note = {"gc": (collect, note_collections), "import": (import_some, note_imports),
                 "audit": (audit, note_audits)}[what]
    gc.disable()
    gc.collect()  # what the start has left behind
    picture.say({})
    sys.stdin.readline()
    seen = []
    if how == "counted":
        note(seen)
    act()
    if how == "counted":
        picture.say({"seen": list(seen)})
    os._exit(0)  # without what an orderly end brings


if __name__ == "__main__":
    main()

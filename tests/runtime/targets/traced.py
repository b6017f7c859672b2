"""Calls, collections and imports for the options of a trace: python traced.py WHAT [FOLDER].

It says {} when it is ready and waits for a line. Then it does WHAT, says what there is to know of it, and waits for
another line with all its threads still there.
"""

import gc
import os
import sys
import threading
import time

import picture

ROUNDS = 50


def leaf():
    pass


def other():
    leaf()


def nested(depth):
    leaf()
    if depth:
        nested(depth - 1)
    other()


def handle():
    other()
    nested(3)


def outside():
    leaf()
    other()


def rounds():
    for _ in range(ROUNDS):
        outside()
        handle()
        outside()


def in_threads():
    """The same in four threads; they live on."""
    tids = {}
    done = threading.Barrier(4)

    def run():
        tids[threading.current_thread().name] = picture.kernel_id()
        rounds()
        done.wait()

    def run_and_stay():
        run()
        threading.Event().wait()

    for name in ("Worker-1", "Worker-2", "H\u00e9lper"):
        threading.Thread(target=run_and_stay, name=name, daemon=True).start()
    run()
    return {"tids": tids}


def names():
    """Functions whose names and files are out of the ordinary, each called three times."""
    made = [
        ("plain.py", "plain"),
        ("/app/gr\u00f6\u00dfe/\u540d\u524d.py", "gr\u00f6\u00dfe_\u540d\u524d"),
        ("x" * 3997 + ".py", "in_a_long_file"),
        ("long.py", "n" * 4000),
        ("long.py", "\u540d" * 1333),
        ("long.py", "m" * 5000),
        ("long.py", "\u540d" * 1500),
        ("\u524d" * 1500, "in_a_file_that_is_too_long"),
    ]
    for file, function in made:
        space = {}
        exec(compile("def %s():\n    pass\n" % function, file, "exec"), space)
        for _ in range(3):
            space[function]()
    return {"made": made}


def quick():
    pass


def slow():
    time.sleep(0.05)


class Durations(object):
    """Calls, with the times right before and right after each by the clock of the trace."""

    def __init__(self):
        self.brackets = []

    def timed(self, function):
        before = time.monotonic_ns()
        function()
        self.brackets.append([function.__name__, before, time.monotonic_ns()])

    def run(self):
        def around_slow():
            self.timed(quick)
            self.timed(slow)
            self.timed(quick)

        def around_quick():
            self.timed(quick)

        for _ in range(5):
            for function in (quick, around_quick, slow, around_slow):
                self.timed(function)
        return {"brackets": self.brackets}


def deep(depth):
    time.sleep(0.005)
    if depth:
        deep(depth - 1)


def measured(inner):
    began = time.monotonic_ns()
    deep(4)
    for _ in range(1234):
        quick()
    inner.append(time.monotonic_ns() - began)


def measure():
    inner, outer = [], 0
    for _ in range(3):
        began = time.monotonic_ns()
        measured(inner)
        outer += time.monotonic_ns() - began
    return {"inner": sum(inner), "outer": outer, "calls": {"measured": 3, "deep": 15, "quick": 3 * 1234}}


def collects():
    gc.collect()


def collect():
    for _ in range(3):
        collects()
    return {}


def import_some():
    sys.path.insert(0, sys.argv[2])
    began = time.monotonic_ns()
    import flametap_outer  # noqa: F401
    ended = time.monotonic_ns()
    try:
        import flametap_missing  # noqa: F401
    except ImportError:
        pass
    return {"outer": ended - began}


def count():
    """Calls that it is told to do, one number of them a line, until the number is 0."""
    space = {}
    long_name = "called_by_a_name_that_is_long_" * 5
    exec(compile("def %s():\n    pass\n" % long_name, __file__, "exec"), space)
    calls = 0
    while True:
        calls = int(sys.stdin.readline())
        if calls == 0:
            return {}
        thread = threading.Thread(target=lambda: [leaf() for _ in range(calls)])
        thread.start()
        for _ in range(calls):
            other()
        nested(3)
        space[long_name]()
        thread.join()
        picture.say({"other": calls + 4, "leaf": 2 * calls + 8, "nested": 4, long_name: 1})


WHAT = {"threads": in_threads, "names": names, "durations": lambda: Durations().run(), "measure": measure,
        "collect": collect, "import": import_some, "count": count}


def main():
    gc.disable()
    picture.say({})
    sys.stdin.readline()
    picture.say(WHAT[sys.argv[1]]())
    sys.stdin.readline()
    os._exit(0)


if __name__ == "__main__":
    main()

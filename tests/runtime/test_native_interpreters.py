"""Interpreters that share a thread of the system share its C stack: each shows its own part of it."""

import json

import flametap
from native_stacks import frame_of, shown
from pythons import FULL

LOOKS = 5 if FULL else 3


def stacks_by_interpreter(target, *options):
    """Innermost first. All threads of Python are the main thread."""
    done = flametap.run("dump", "-p", target.pid, "--json", *options)
    assert done.code == flametap.DONE, done
    return {
        thread["interpreter"]: [frame_of(frame) for frame in thread["frames"]]
        for thread in json.loads(done.out)["threads"]
    }


def python_names(stack):
    return [frame.name for frame in stack if frame.kind == "python"]


def test_who_holds_the_gil_is_innermost(native_python3, start):
    """A sub-interpreter spins in a loop that calls nothing: no further evaluating function is inside of its own."""
    target = start(native_python3, "subinterpreters.py", "spin")
    target.says()
    for _ in range(LOOKS):
        target.wait_until_it_computes()
        stacks = stacks_by_interpreter(target, "--native=full")
        stack = stacks[max(stacks)]
        place = [frame.kind for frame in stack].index("python")
        assert place <= 1, shown(stack)  # it may be one without a name that evaluates the next instruction
        outside = [frame.kind for frame in stack[place + 1:]]
        assert outside.count("native") > 1, shown(stack)


def test_an_interpreter_that_runs_nothing_has_no_part_in_it(native_python38, start):
    target = start(native_python38, "idle_interpreter.py")
    target.says()
    target.wait_until_main_sleeps()
    stacks = stacks_by_interpreter(target, "--native")
    main, sleeping, *idle = sorted(stacks)
    for interpreter in idle:  # from 3.13 on it has not even a thread
        assert stacks[interpreter] == [], shown(stacks[interpreter])
    assert stacks[sleeping][0].kind == "kernel", shown(stacks[sleeping])
    assert python_names(stacks[sleeping]) == ["<module>"], shown(stacks[sleeping])
    # What sleeps is the other interpreter's.
    assert python_names(stacks[main]) == ["<module>"], shown(stacks[main])
    assert "kernel" not in [frame.kind for frame in stacks[main]], shown(stacks[main])

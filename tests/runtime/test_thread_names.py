"""Threads go by the names that the program gave them, on every version and however the name is kept."""

from pathlib import Path

import flametap


def kernel_name(pid, tid):
    return Path("/proc/%d/task/%d/comm" % (pid, tid)).read_text().rstrip("\n")


def names_of(dumped):
    return {str(thread["ident"]): thread["name"] for thread in dumped["threads"]}


def assert_names(target, truth):
    target.wait_until_still()
    dumped = flametap.dump(target.pid)
    names = names_of(dumped)
    assert {ident: names[ident] for ident in truth} == truth
    # Exactly one thread is unknown to `threading`; the kernel still has a name for it.
    nameless, = [thread for thread in dumped["threads"] if str(thread["ident"]) not in truth]
    assert nameless["name"] == kernel_name(target.pid, nameless["id"])


def test_every_thread_has_the_name_that_the_program_gave_it(python, start):
    target = start(python, "thread_names.py")
    assert_names(target, target.says())


def test_the_names_are_found_behind_thousands_of_modules(frame_kind, start):
    target = start(frame_kind, "thread_names.py", "many-modules")
    assert_names(target, target.says())

"""Threads go by the names that the program gave them, on every version and however the name is kept."""

import json
import re
from pathlib import Path

import pytest

import cpython_check
import flametap
from pythons import FULL
from target import TARGETS

READINGS = 1000 if FULL else 400  # while threads come and go
READINGS_OF_ONE = 5000 if FULL else 2000  # whose name does


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


def test_a_thread_keeps_the_name_of_the_interpreter_that_made_it(some_python3, start):
    target = start(some_python3, "thread_names_inside.py")
    truth = target.says()
    target.wait_until_still()
    dumped = flametap.dump(target.pid)
    assert names_of(dumped) == truth
    assert len({thread["interpreter"] for thread in dumped["threads"]}) == 2


def readings(pid, times):
    """{ident: name} of as many readings of the names of a process; "" is no name."""
    names = {}
    for line in cpython_check.answer("names", ("%d %d" % (pid, times)).encode()).split("\n")[:-1]:
        if line:
            ident, _, name = line.partition(" ")
            names[ident] = name
        else:
            yield names
            names = {}


def test_no_name_is_wrong_while_names_come_and_go(some_python, start):
    """A name that cannot be read twice alike is missing; but no thread ever has the name of another."""
    target = start(some_python, "thread_names_move.py")
    truth = target.says()
    times_whole = 0
    for names in readings(target.pid, READINGS):
        for ident, name in names.items():
            if ident in truth:
                assert name in (truth[ident], "")
            else:
                assert re.fullmatch(r"visitor-\d+|flicker-a|flicker-b{40}|", name)
        times_whole += truth == {ident: names.get(ident) for ident in truth}
    assert times_whole > 0


def test_what_takes_the_memory_of_a_name_is_none(frame_kind, start):
    """The readings must not beat with a loop that gives a thread a name, takes it back and makes another text there."""
    target = start(frame_kind, "thread_names_taken.py")
    truth = target.says()
    for names in readings(target.pid, READINGS_OF_ONE):
        assert set(names.values()) <= set(truth)


@pytest.mark.parametrize("relay", [(0.03, 12), (0.12, 12 if FULL else 6), (0.002, 1000 if FULL else 500), (0.01, 60, "linger"),
                                   (0.005, 600 if FULL else 300, "three")], ids=str)
def test_no_thread_has_the_name_of_one_before(frame_kind, tmp_path, relay):
    """Threads with the same ident come one after the other; a short one may keep the kernel's name, but no other's."""
    out = tmp_path / "all.json"
    command = [*frame_kind.command, TARGETS / "relay.py", *relay]
    done = flametap.run("record", "-o", out, "--", *command, env=frame_kind.environment())
    assert done.code == flametap.DONE, done
    recording = json.loads(out.read_text())
    functions = {id(thread): set() for thread in recording["threads"]}
    for sample in flametap.samples_of(recording):
        if sample.function.startswith("f_"):
            functions[id(sample.thread)].add(sample.function)
    named = 0
    for thread in recording["threads"]:
        name, called = thread["name"], functions[id(thread)]
        assert len(called) <= 1, (name, called)
        if called and name.startswith("thr-"):
            assert called == {"f_" + name[len("thr-"):]}
            named += 1
    assert named > 0 or relay[0] < 0.01  # those may all have ended before anybody asks for their names

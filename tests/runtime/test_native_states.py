"""What a thread waits for, and the C stack in which it waits, are of one instant."""

import json

import flametap
from native_stacks import frame_of, shown

LOOKS = 25


def test_who_waits_for_the_gil_waits_in_a_futex(usual_python, start):
    target = start(usual_python, "wakes.py")
    target.says()
    waiting = 0
    for _ in range(LOOKS):
        done = flametap.run("dump", "-p", target.pid, "--native", "--json")
        assert done.code == flametap.DONE, done
        for thread in json.loads(done.out)["threads"]:
            if not thread["waits_for_gil"] or thread["unmerged"]:
                continue
            waiting += 1
            stack = [frame_of(frame) for frame in thread["frames"]]
            assert (stack[0].kind, stack[0].name) == ("kernel", "futex"), shown(stack)
    assert waiting

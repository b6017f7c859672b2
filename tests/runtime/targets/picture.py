"""A process's own truth about its stacks: what sys._current_frames() shows once every other thread stands still."""

import json
import os
import select
import sys


def to_text(name):
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name


def describe(frame):
    """The frames of a stack, the innermost first."""
    frames = []
    while frame is not None:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        frames.append({"name": to_text(name), "file": to_text(code.co_filename), "line": frame.f_lineno})
        frame = frame.f_back
    return frames


def kernel_id():
    return int(os.readlink("/proc/thread-self").rpartition("/")[2])


def _tasks():
    """Of each kernel thread but our own: its state and how often it was switched."""
    seen, own = {}, kernel_id()
    for task in os.listdir("/proc/self/task"):
        if int(task) == own:
            continue
        with open("/proc/self/task/%s/status" % task) as status:
            fields = dict(line.rstrip().split(":", 1) for line in status if ":" in line)
        seen[task] = (fields["State"].split()[0], fields["voluntary_ctxt_switches"],
                      fields["nonvoluntary_ctxt_switches"])
    return seen


def wait_for_others(count):
    """Returns once all `count` other threads are blocked for good.

    A thread that only waits for the GIL gets it while we are in select(): then it is runnable or its count of
    switches has moved. So if nobody moved while the GIL was free, everybody waits for something else.
    """
    while True:
        before = _tasks()
        select.select([], [], [], 0.002)
        after = _tasks()
        if before == after and len(after) == count and all(state == "S" for state, _, _ in after.values()):
            return


def say(value):
    os.write(1, json.dumps(value).encode("ascii") + b"\n")


def stacks(own_frame):
    """The stacks of all threads by their ident; ours from `own_frame` on, which is where it is about to block."""
    shown = {}
    for ident, frame in sys._current_frames().items():
        innermost = frame
        while innermost is not None and innermost is not own_frame:
            innermost = innermost.f_back
        shown[str(ident)] = describe(frame if innermost is None else own_frame)
    return shown

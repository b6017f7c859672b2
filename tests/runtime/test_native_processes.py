"""C stacks where processes come and go: commands, children, debuggers, stops that a signal made."""

import json
import subprocess
import sys

import flametap
from native_stacks import Dumped, JsonRecording, Recording, shown


def native_below(recording, function):
    return {frame.name for sample in recording.samples() for place, frame in enumerate(sample.stack)
            if frame.kind == "python" and frame.name == function
            for frame in sample.stack[place + 1:] if frame.kind == "native"}


# Computes until a file is there: the test makes it once the recording holds what it waits for.
COMPRESS = """
import os, sys, zlib
data = bytes(bytearray(range(256))) * 200
def compress():
    while not os.path.exists(sys.argv[1]): zlib.compress(data, 6)
"""


def record_command(folder, interpreter, source, condition, what, *options):
    """Records a command that runs `source` until `condition` is true of the recording; it must succeed."""
    out, told = folder / "native.json", folder / "told"
    command = [*interpreter.command, "-c", source, told]
    process = flametap.start("record", "--native", *options, "-o", out, "--", *command, env=interpreter.environment())
    try:
        flametap.wait_until_it_holds(process, flametap.journal_of(out),
                                     lambda recording: condition(JsonRecording(recording)), what)
    finally:  # nobody computes on after a test that failed
        told.touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return JsonRecording(json.loads(out.read_text()))


def test_a_command_from_its_start(frame_kind, tmp_path):
    def has_deflate(recording):
        return any(name.startswith("deflate") for name in native_below(recording, "compress"))

    recording = record_command(tmp_path, frame_kind, COMPRESS + "compress()",
                               lambda recording: recording.ticks >= 1000 and has_deflate(recording), "deflate",
                               "-r", 2500)
    assert has_deflate(recording)
    recording.assert_merged()


def test_children(usual_python, tmp_path):
    source = COMPRESS + """
children = [os.fork() for _ in range(2)]
if 0 in children:
    compress()
    os._exit(0)
for child in children:
    os.waitpid(child, 0)
"""

    def computed(recording):
        return {sample.thread["process"] for sample in recording.samples()
                if any(frame.name.startswith("deflate") for frame in sample.stack)}

    recording = record_command(tmp_path, usual_python, source, lambda recording: len(computed(recording)) >= 2,
                               "deflate in two children", "--children")
    assert len(computed(recording)) >= 2


TRACER = """
import ctypes, sys
PTRACE_SEIZE = 0x4206
assert ctypes.CDLL(None).ptrace(PTRACE_SEIZE, int(sys.argv[1]), None, None) == 0
print("seized", flush=True)
sys.stdin.read()
"""


def test_a_process_that_another_traces_is_shown_as_python_only(usual_python, start):
    target = start(usual_python, "native_libraries.py", "standard")
    target.says()
    tracer = subprocess.Popen([sys.executable, "-c", TRACER, str(target.pid)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    assert tracer.stdout.readline() == b"seized\n"
    target.wait_until_it_computes()
    dumped = Dumped(target.pid, "--native").stacks[target.pid]
    assert dumped and all(frame.kind == "python" for frame in dumped), shown(dumped)
    tracer.stdin.close()
    tracer.wait()
    assert target.is_left_alone()


def test_a_stop_by_a_signal_stays(usual_python, start):
    target = start(usual_python, "native_libraries.py", "standard")
    target.says()
    with target.stopped():
        one, other = (Dumped(target.pid, "--native").stacks[target.pid] for _ in range(2))
        assert one == other and any(frame.kind == "python" for frame in one)
        target.wait_until_stopped()
    target.wait_until_it_computes()
    assert target.is_left_alone()


def test_an_event_loop_is_never_interrupted(usual_python, start, tmp_path):
    """epoll_wait would return early from a stop; the target counts how often it does."""
    target = start(usual_python, "polls.py")
    target.says()
    target.wait_until_still()
    recording = Recording(tmp_path, "-p", target.pid, "--native", "--mode", "wall", "-d", 1)
    assert recording.quality["steps"]["paused"] == 0
    assert any(frame.kind == "kernel" and frame.name == "epoll_wait"
               for sample in recording.samples() for frame in sample.stack)
    target.tell("stop")
    assert target.says() == {"interrupted": 0}


def test_stubs_for_perf(own_gil_python, start, tmp_path):
    """`-X perf` calls every Python function through a stub of generated code, of which only /tmp/perf-PID.map tells."""
    target = start(own_gil_python, "native_libraries.py", "standard", env={"PYTHONPERFSUPPORT": "1"})
    target.says()
    target.wait_until_it_computes()  # it says so before it begins
    stacks = Dumped(target.pid, "--native=full").stacks[target.pid]
    assert any(frame.name.startswith("py::loop:") for frame in stacks), shown(stacks)
    recording = Recording(tmp_path, "-p", target.pid, "--native", "-r", 2000, "-d", 1.5)
    recording.assert_merged()
    assert recording.quality["native_truncated"] <= recording.ticks / 100, recording.quality
    for sample in recording.samples():
        assert not any(frame.name.startswith("py::") for frame in sample.stack), shown(sample.stack)

"""The binary under its old name, and the grammars of Pyflame's output."""

import collections
import re
import subprocess

import flametap

FRAME = re.compile(r"[^:;]+:[^:;]+:\d+")
FRAME_WITHOUT_LINE = re.compile(r"[^:;]+:[^:;]+")
IDLE = "(idle)"
FAILED = "(failed)"


# Busy for a while; what follows must not need the GIL to be free. The while is one of CPU time: on a busy machine, where
# it takes us longer to find a Python, it takes longer, too. That of its children counts.
FOR_A_WHILE = """
import os, sys
def leaf(): return 1
def work():
    while sum(os.times()[:4]) < 0.3: leaf()
work()
"""


class Pyflame:
    """Runs `pyflame ARGS`; `path` is the program."""

    def __init__(self, path):
        self.path = str(path)

    def start(self, *args, wrap=(), **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "start_new_session": True, **options}  # as flametap.start
        return subprocess.Popen([str(word) for word in (*wrap, self.path, *args)], **options)

    def run(self, *args, **options):
        return flametap.finish(self.start(*args, **options))

    def sample(self, *args, **options):
        """A run that must succeed without a word on stderr; gives its output as text."""
        done = self.run(*args, **options)
        assert (done.code, done.err) == (0, ""), done
        return done.out.decode("utf-8")

    def refuses(self, *args, **options):
        """A run that must fail; gives what it says, all of it on stderr."""
        done = self.run(*args, **options)
        assert done.code == 1, done
        assert done.out == b""
        return done.err

    def start_pausing(self, target, cpu, *args):
        """As flametap.start_pausing: returns when some samples are done."""
        process = self.start("-r", 0.001, *args, "-p", target.pid, wrap=["taskset", "-c", cpu])
        flametap.wait_for_pauses(process, target)
        return process


class Collapsed:
    """{tuple of frames, root first: count}, and how often nobody held the GIL or it could not be read."""

    def __init__(self, text, frame=FRAME):
        self.stacks = collections.Counter()
        self.markers = collections.Counter()
        assert text == "" or text.endswith("\n")
        for line in text.splitlines():
            stack, _, count = line.rpartition(" ")
            assert re.fullmatch(r"[1-9]\d*", count), "no count: %r" % line
            if stack in (IDLE, FAILED):
                assert not self.stacks and stack not in self.markers, "markers come first, and once"
                assert stack == IDLE or FAILED not in self.markers
                self.markers[stack] = int(count)
            else:
                frames = tuple(stack.split(";"))
                assert all(frame.fullmatch(each) for each in frames), "no stack: %r" % line
                assert frames not in self.stacks, "a stack occurs twice: %r" % line
                self.stacks[frames] = int(count)

    @property
    def idle(self):
        return self.markers[IDLE]

    @property
    def total(self):
        return sum(self.stacks.values()) + sum(self.markers.values())

    def of(self, name):
        """How many samples have a frame of this name."""
        return sum(count for stack, count in self.stacks.items() if any(f.split(":")[1] == name for f in stack))


def flamechart(text):
    """[(microseconds, frames or a marker)]"""
    lines = text.split("\n")
    assert lines.pop() == "" and len(lines) % 2 == 0
    samples = []
    for time, what in zip(lines[::2], lines[1::2]):
        assert time.isdigit(), "no time: %r" % time
        if what not in (IDLE, FAILED):
            assert what.endswith(";"), what
            what = tuple(what[:-1].split(";"))
            assert all(FRAME.fullmatch(frame) for frame in what), what
        samples.append((int(time), what))
    assert [time for time, _ in samples] == sorted(time for time, _ in samples)
    return samples


def dumped(text):
    """[(ident, holds the GIL, [frames, the innermost first])]"""
    threads = []
    assert text.endswith("\n")
    for block in text[:-1].split("\n\n"):
        title, *frames = block.split("\n")
        match = re.fullmatch(r"(\d+)(\*?):", title)
        assert match, "no thread: %r" % title
        assert frames and all(FRAME.fullmatch(frame) for frame in frames), block
        threads.append((match[1], match[2] == "*", frames))
    return threads


def frame_of(described):
    """How Pyflame prints a frame that a target describes: with the bare name, which every version knows."""
    return "%s:%s:%d" % (described["file"], described["name"].rpartition(".")[2], described["line"])

"""A process under test: it is started, says what it has to say through a pipe, and is ended by its pid."""

import contextlib
import json
import mmap
import os
import select
import signal
import struct
import subprocess
import time
from pathlib import Path

TARGETS = Path(__file__).resolve().parent / "targets"

READ, FUTEX = 0, 202  # numbers of system calls

# Far longer than anything here takes, on a busy machine too: what runs into it hangs.
PATIENCE_S = 180

# Between two looks at what another process does. Looking all the time would take the CPU from that process.
PAUSE_S = 0.001

class Silent(Exception):
    """A process did not say in time what it was expected to say."""


def wait_until(condition, what, patience_s=PATIENCE_S, pause_s=PAUSE_S):
    """Waits for something that another process does and that has no descriptor to wait on.

    With `pause_s` 0 it looks all the time, for what is so for some microseconds only.
    """
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            raise Silent("waited in vain until " + what)
        if pause_s:
            time.sleep(pause_s)
        else:
            os.sched_yield()


class LineReader:
    """Lines from a descriptor, each within PATIENCE_S."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._pending = b""

    def line(self):
        deadline = time.monotonic() + PATIENCE_S
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self._descriptor], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise Silent("no line within %d s, so far: %r" % (PATIENCE_S, self._pending[-500:]))
            read = os.read(self._descriptor, 1 << 16)
            if not read:
                raise Silent("it ended without the expected line, so far: %r" % self._pending[-500:])
            self._pending += read
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode()


class Target:
    """A running target. `pid` is the Python process as seen from here.

    It has a session of its own, as flametap has: Linux shares the CPUs among sessions first (see autogroup in sched(7)), so
    that each of the two gets as much as the other, wherever the tests were started. No priority is higher than that of the
    tests: in a cgroup, where sessions do not count, such a target would take the CPUs from the test and from flametap.
    """

    def __init__(self, argv, env=None, cpus=None, pass_fds=()):
        self.process = subprocess.Popen(
            [str(word) for word in argv],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=pass_fds,
            start_new_session=True,
            preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus else None,
        )
        self.pid = self.process.pid
        self._lines = LineReader(self.process.stdout.fileno())

    def says(self):
        """The next thing that it says, which is one line of JSON."""
        return json.loads(self._lines.line())

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def stat(self):
        """The fields of /proc/PID/stat after the command's name; [0] is the state."""
        return Path("/proc/%d/stat" % self.pid).read_text().rpartition(")")[2].split()

    def state(self):
        return self.stat()[0]

    def wait_until_still(self):
        """Returns once every thread of it sleeps: after its last word, the one that said it has yet to block."""
        def look():
            """{thread: its state, and how long and how often it has run}"""
            tasks = list(Path("/proc/%d/task" % self.pid).iterdir())
            return {task.name: ((task / "stat").read_text().rpartition(")")[2].split()[0], (task / "schedstat").read_text())
                    for task in tasks}

        def all_sleep():
            # Threads are looked at one after the other, and one may wake another: only if none has run from one look to
            # the next, all of them slept at the same time.
            first = look()
            return all(state == "S" for state, _ in first.values()) and look() == first

        wait_until(all_sleep, "all threads of %d sleep" % self.pid)

    def wait_until_stopped(self):
        """Returns once SIGSTOP has stopped every thread of it."""
        def all_stopped():
            tasks = Path("/proc/%d/task" % self.pid).iterdir()
            return all((task / "stat").read_text().rpartition(")")[2].split()[0] == "T" for task in tasks)

        wait_until(all_stopped, "all threads of %d are stopped" % self.pid)

    @contextlib.contextmanager
    def stopped(self):
        """With every thread of it stopped."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            self.wait_until_stopped()
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def wait_until_main_sleeps(self):
        """Returns once its main thread is in the system call in which it sleeps for good: nanosleep, in its variants."""
        def sleeps():
            number = Path("/proc/%d/syscall" % self.pid).read_text().split()[0]
            return number in ("35", "230", "23", "270")

        wait_until(sleeps, "the main thread of %d sleeps" % self.pid)

    def wait_until_it_computes(self):
        """Returns once it has computed for a while: whoever has just said something is still without the GIL."""
        user_time = 11  # in ticks, as stat() counts its fields
        before = int(self.stat()[user_time])
        wait_until(lambda: int(self.stat()[user_time]) > before + 1, "%d computes" % self.pid)

    def wait_until_threads_compute(self, tids):
        """Returns once each of these has computed for a while: what it did to get there is over."""
        stats = [Path("/proc/%d/task/%d/stat" % (self.pid, tid)) for tid in tids]

        def user_times():
            return [int(stat.read_text().rpartition(")")[2].split()[11]) for stat in stats]

        before = user_times()
        wait_until(lambda: all(now > then + 1 for now, then in zip(user_times(), before)), "threads %s compute" % tids)

    def wait_until_in_system_call(self, tid, number):
        call = Path("/proc/%d/task/%d/syscall" % (self.pid, tid))
        wait_until(lambda: call.read_text().startswith("%d " % number), "thread %d is in system call %d" % (tid, number))

    def tracer(self):
        for line in Path("/proc/%d/status" % self.pid).read_text().splitlines():
            if line.startswith("TracerPid:"):
                return int(line.split()[1])
        raise AssertionError("no TracerPid in the status of %d" % self.pid)

    def is_left_alone(self):
        """Neither stopped nor traced by anybody."""
        return self.state() not in "tT" and self.tracer() == 0

    def reap(self):
        """Waits for its end, so that it is no zombie; gives its exit code."""
        return self.process.wait(timeout=PATIENCE_S)

    def end(self):
        if self.pid != self.process.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Counters:
    """Numbers that a target keeps in a shared file: nine words, the first a version that is odd while it writes."""

    WORDS = 9

    def __init__(self, folder):
        self.path = Path(folder) / "counters"
        self.path.write_bytes(b"\0" * 4096)
        with self.path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 4096)

    def read(self):
        while True:
            first = struct.unpack_from("=9q", self._map, 0)
            again = struct.unpack_from("=9q", self._map, 0)
            if first == again and first[0] % 2 == 0:
                return first

    def wait_for_progress(self, steps=2):
        before = self.read()[0]
        wait_until(lambda: self.read()[0] >= before + 2 * steps, "the target's counter moved")


class Wakeups:
    """The pipe to which the interpreter writes a byte per signal, and how many of each have come."""

    def __init__(self):
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.write_end, False)
        self.counts = {}

    def wait_for(self, number, count):
        while self.counts.get(number, 0) < count:
            ready, _, _ = select.select([self.read_end], [], [], PATIENCE_S)
            assert ready, "signals were lost: %r of %d" % (self.counts, count)
            for byte in os.read(self.read_end, 1 << 16):
                self.counts[byte] = self.counts.get(byte, 0) + 1

    def close(self):
        os.close(self.read_end)
        os.close(self.write_end)

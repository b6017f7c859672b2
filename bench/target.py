"""One running program of bench/targets: its truth cells, its time on and off the CPU, its rest between turns."""
import json
import mmap
import os
import select
import signal
import struct
import subprocess
import time
from pathlib import Path

import truth
from timeline import Snapshot

HERE = Path(__file__).resolve().parent
READY_WITHIN_S = 60
WATCHED_TASKS = 8  # with more threads than that, only those that run most: reading takes time


class TargetFailed(Exception):
    """Says in its own words why it does not run."""


class Target:
    """Runs from the constructor until stop(). Between its turns it is stopped, so that it takes no CPU from others."""

    def __init__(self, interpreter, variant, way, folder):
        """`way` is how a profiler needs it to be started; see peers/peer.py."""
        folder.mkdir(parents=True, exist_ok=True)
        self.truth_file, self.errors = folder / "truth", folder / "stderr"
        script = HERE / "targets" / variant.file
        words = [str(script), str(self.truth_file), *map(str, variant.options)]
        command, environment = way([*interpreter.command], words, interpreter.environment())
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=errors, bufsize=0)
        self.pid = self.process.pid
        try:
            self.description = truth.Description(self.hear(), [variant.file])
            self.cells = self.map_cells()
            self.tasks = self.busiest_tasks()
        except BaseException:
            self.stop()
            raise

    def hear(self):
        """Its first line."""
        line, until = b"", time.monotonic() + READY_WITHIN_S
        while not line.endswith(b"\n"):
            left = until - time.monotonic()
            if left < 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TargetFailed(f"not ready within {READY_WITHIN_S} s")
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise TargetFailed(self.errors.read_text(errors="replace").strip()[-500:] or "ended without a word")
            line += more
        return json.loads(line)

    def map_cells(self):
        with self.truth_file.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)

    def read_cells(self):
        count = self.description.cell_count()
        return struct.unpack_from(f"<{count}q", self.cells)

    def busiest_tasks(self):
        tasks = os.listdir(f"/proc/{self.pid}/task")
        return sorted(tasks, key=self.scheduled_task, reverse=True)[:WATCHED_TASKS]

    def scheduled_task(self, task):
        try:
            ran, waited, _ = Path(f"/proc/{self.pid}/task/{task}/schedstat").read_text().split()
        except OSError:
            return 0, 0  # it has ended
        return int(ran), int(waited)

    def scheduled(self):
        """Seconds that its threads ran, and that they waited for a CPU, by the kernel's account."""
        ran, waited = zip(*map(self.scheduled_task, self.tasks))
        return sum(ran) / 1e9, sum(waited) / 1e9

    def snapshot(self):
        return Snapshot(time.monotonic(), self.read_cells(), *self.scheduled())

    @property
    def is_alive(self):
        return self.process.poll() is None

    def wake(self):
        os.kill(self.pid, signal.SIGCONT)

    def rest(self):
        if self.is_alive:
            os.kill(self.pid, signal.SIGSTOP)

    def pin(self, cpu):
        for task in os.listdir(f"/proc/{self.pid}/task"):
            os.sched_setaffinity(int(task), {cpu})

    def stop(self):
        if self.is_alive:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        Path(f"/tmp/perf-{self.pid}.map").unlink(missing_ok=True)  # that it wrote for perf

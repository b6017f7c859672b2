"""Snapshots of a target while it is profiled, so that its truth can be told for any interval in between."""
import bisect
from typing import NamedTuple


class Snapshot(NamedTuple):
    time: float  # of the monotonic clock, seconds
    cells: tuple  # the truth file: progress, then nanoseconds
    ran_s: float  # CPU time of the target
    waited_s: float  # ready to run, but did not


class Timeline:
    def __init__(self):
        self.snapshots = []

    def add(self, snapshot):
        self.snapshots.append(snapshot)

    @property
    def begin(self):
        return self.snapshots[0].time

    @property
    def end(self):
        return self.snapshots[-1].time

    def at(self, time):
        """The state at a moment, by straight lines between the snapshots."""
        times = [snapshot.time for snapshot in self.snapshots]
        index = min(max(1, bisect.bisect_left(times, time)), len(times) - 1)
        before, after = self.snapshots[index - 1], self.snapshots[index]
        part = min(1.0, max(0.0, (time - before.time) / ((after.time - before.time) or 1.0)))
        between = lambda one, other: one + part * (other - one)
        return Snapshot(between(before.time, after.time), tuple(map(between, before.cells, after.cells)),
                        between(before.ran_s, after.ran_s), between(before.waited_s, after.waited_s))

    def during(self, begin, end):
        """What happened between two moments, as a Snapshot of differences."""
        first, last = self.at(begin), self.at(end)
        return Snapshot(last.time - first.time, tuple(now - then for then, now in zip(first.cells, last.cells)),
                        last.ran_s - first.ran_s, last.waited_s - first.waited_s)

"""Runs profilers interleaved on targets: unprofiled, A, unprofiled, B, ..., turn after turn. Failures become rows."""
import contextlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

import launching
import measure
from peers.peer import NO_RATE, Job, Unavailable, plain_way
from target import Target, TargetFailed

SETTLE_S = 0.03  # after its rest: the block in which it was stopped has that time, and is to end before we look
SECONDS_ALONE = 0.34  # of a profiled turn


class Runner:
    """Collects rows: one for each profiler, target, rate and interpreter, with its figures or why it failed."""

    def __init__(self, peers, seconds, pin=False, say=lambda text: print(text, file=sys.stderr, flush=True)):
        self.peers, self.seconds, self.pin, self.say = peers, seconds, pin, say
        self.rows = []
        self.startups = {}  # (profiler, interpreter): figures
        self.refused = {}  # (profiler, interpreter): why
        self.folder = Path(tempfile.mkdtemp(prefix="flametap-bench-"))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, interpreter, variant, step):
        """What a step of the plan says of rates, turns and profilers."""
        self.say(f"{interpreter.name} {variant.name}")
        rates, turns = step.rates, step.turns
        rows = self.make_rows(interpreter, variant, step)
        if variant.kind == "launch":
            for row in rows:
                launching.run_row(self, row, interpreter, variant, turns)
            return
        targets = Targets(interpreter, variant, self.folder, self.pin)
        try:
            for rate in [NO_RATE, *rates]:
                self.run_rate(targets, [row for row in rows if row["rate"] == rate], turns)
        except TargetFailed as failure:
            self.fail_all(rows, f"the target failed: {failure}")
        finally:
            targets.stop()

    def make_rows(self, interpreter, variant, step):
        rows = []
        for peer in self.peers:
            if step.ours_alone and not peer.is_ours:
                continue
            for rate in step.rates if peer.rates else self.no_rate(peer, interpreter, variant):
                row = {"python": minor_of(interpreter), "target": variant.name, "rate": rate, "profiler": peer.name,
                       "kind": variant.kind, "turns": [], "failed": peer.why_not(interpreter, variant, rate) or ""}
                self.rows.append(row)
                rows.append(row)
        return rows

    def no_rate(self, peer, interpreter, variant):
        """One that has no rates is measured once for all."""
        wanted = (peer.name, minor_of(interpreter), variant.name)
        done = any((row["profiler"], row["python"], row["target"]) == wanted for row in self.rows)
        return [] if done else [NO_RATE]

    def fail_all(self, rows, reason):
        self.say(f"    {reason}")
        for row in rows:
            if not row["turns"] and not row["failed"]:
                row["failed"] = reason

    def peer_of(self, row):
        return next(peer for peer in self.peers if peer.name == row["profiler"])

    def run_rate(self, targets, rows, turns):
        for row in rows:
            if not row["failed"]:
                row["failed"] = self.measure_startup(self.peer_of(row), targets)
        for turn in range(turns):
            able = [row for row in rows if not row["failed"]]
            order = able[turn % len(able):] + able[:turn % len(able)] if able else []
            before = targets.alone(self.seconds * SECONDS_ALONE) if order else None
            for row in order:
                figures = self.run_turn(targets, row)
                after = self.alone_after(row, targets)
                if figures:
                    figures["alone"] = {name: (before[name] + after[name]) / 2 for name in before}
                    row["turns"].append(figures)
                    self.say(f"    {row['profiler']:22} {row['rate']:>6}: speed "
                             f"{figures['speed'] / figures['alone']['speed']:.3f}, {figures['samples']} samples")
                before = after

    def alone_after(self, row, targets):
        """A target that a profiler left standing still is its failure; the others get a new one."""
        try:
            return targets.alone(self.seconds * SECONDS_ALONE)
        except TargetFailed as failure:
            row["failed"] = str(failure)
            return targets.alone(self.seconds * SECONDS_ALONE)

    def run_turn(self, targets, row):
        """The figures, or None: then the row says why."""
        try:
            return self.profile(self.peer_of(row), targets, row["rate"])
        except (Unavailable, TargetFailed, OSError) as failure:
            row["failed"] = str(failure)
            self.say(f"    {row['profiler']:22} {row['rate']:>6}: {failure}")
            return None

    def profile(self, peer, targets, rate):
        with self.awake(peer, targets) as (target, folder):
            job = Job(rate, self.seconds, folder / "profile", pid=target.pid, truth_file=target.truth_file,
                      cpu=targets.other_cpu if self.pin else None)
            startup_s = self.startups.get((peer.name, minor_of(targets.interpreter)), {}).get("startup_s")
            return measure.profile(peer, target, job, startup_s, None if peer.pins_itself else job.cpu)

    @contextlib.contextmanager
    def awake(self, peer, targets):
        """The target that a profiler wants, running, and a folder for what it writes."""
        target = targets.of(peer.way_name, peer.way)
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        target.wake()
        time.sleep(SETTLE_S)
        try:
            yield target, folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self.check_on(target, targets, peer)

    @staticmethod
    def check_on(target, targets, peer):
        if not target.is_alive:
            targets.forget(peer.way_name)
            raise TargetFailed("the target died while it was profiled")
        target.rest()

    def measure_startup(self, peer, targets):
        """Once for each interpreter. The reason, if it does not know that at all."""
        key = (peer.name, minor_of(targets.interpreter))
        if key not in self.startups and key not in self.refused:
            try:
                with self.awake(peer, targets) as (target, folder):
                    self.startups[key] = measure.startup(peer, target, folder) or {}
            except (Unavailable, TargetFailed, OSError) as failure:
                self.refused[key] = str(failure)
                self.say(f"    {peer.name}: {failure}")
        return self.refused.get(key, "")


def minor_of(interpreter):
    return "%d.%d" % interpreter.minor


class Targets:
    """The processes of one target: a plain one, and one for each other way in which profilers want it to be started."""

    def __init__(self, interpreter, variant, folder, pin):
        self.interpreter, self.variant, self.pin = interpreter, variant, pin
        self.folder = folder / f"{interpreter.name}-{variant.name}"
        self.running = {}
        self.cpu, self.other_cpu = 1, 0

    def of(self, way_name, way):
        if way_name not in self.running:
            target = Target(self.interpreter, self.variant, way, self.folder / way_name.replace(" ", ""))
            if self.pin:
                target.pin(self.cpu)
            target.rest()
            self.running[way_name] = target
        return self.running[way_name]

    def alone(self, seconds):
        """How the plain one does without any profiler."""
        target = self.of("plain", plain_way)
        target.wake()
        figures = measure.watch_alone(target, seconds)
        if not target.is_alive or figures["speed"] <= 0:
            self.forget("plain")
            raise TargetFailed("afterwards the target was dead, or stood still")
        target.rest()
        return figures

    def forget(self, way_name):
        self.running.pop(way_name).stop()

    def stop(self):
        for target in self.running.values():
            target.stop()
        self.running = {}

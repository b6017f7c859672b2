"""Runs profilers interleaved on targets: unprofiled, A, unprofiled, B, ..., turn after turn. Failures become rows."""
import shutil
import sys
import tempfile
from pathlib import Path

import launching
import measure
from peers.peer import NO_RATE, Job, Unavailable, plain_way
from target import Target, TargetFailed

FIRST_GUESS_S = 0.5  # of how long a profiler takes to start, before it was measured
STARTUP_RATE = "1000"
SECONDS_ALONE = 0.34  # of a profiled turn


class Runner:
    """Collects rows: one for each profiler, target, rate and interpreter, with the figures of its turns or why it failed."""

    def __init__(self, peers, seconds, turns, pin=False, say=lambda text: print(text, file=sys.stderr, flush=True)):
        self.peers, self.seconds, self.turns, self.pin, self.say = peers, seconds, turns, pin, say
        self.rows, self.startups = [], []
        self.refused = {}  # (profiler, interpreter): why
        self.folder = Path(tempfile.mkdtemp(prefix="flametap-bench-"))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, interpreter, variant, rates):
        self.say(f"{interpreter.name} {variant.name}")
        rows = self.make_rows(interpreter, variant, rates)
        if variant.kind == "launch":
            for row in rows:
                launching.run_row(self, row, interpreter, variant)
            return
        targets = Targets(interpreter, variant, self.folder, self.pin)
        try:
            for rate in [NO_RATE, *rates]:
                self.run_rate(targets, [row for row in rows if row["rate"] == rate])
        except TargetFailed as failure:
            self.fail_all(rows, f"the target failed: {failure}")
        finally:
            targets.stop()

    def make_rows(self, interpreter, variant, rates):
        rows = []
        for peer in self.peers:
            for rate in rates if peer.rates else [NO_RATE]:
                row = {"python": interpreter.name, "target": variant.name, "rate": rate, "profiler": peer.name,
                       "kind": variant.kind, "turns": [], "failed": peer.why_not(interpreter, variant, rate) or ""}
                self.rows.append(row)
                rows.append(row)
        return rows

    def fail_all(self, rows, reason):
        self.say(f"    {reason}")
        for row in rows:
            if not row["turns"] and not row["failed"]:
                row["failed"] = reason

    def peer_of(self, row):
        return next(peer for peer in self.peers if peer.name == row["profiler"])

    def run_rate(self, targets, rows):
        for row in rows:
            if not row["failed"]:
                row["failed"] = self.measure_startup(self.peer_of(row), targets)
        for turn in range(self.turns):
            able = [row for row in rows if not row["failed"]]
            order = able[turn % len(able):] + able[:turn % len(able)] if able else []
            before = targets.alone(self.seconds * SECONDS_ALONE) if order else None
            for row in order:
                figures = self.run_turn(targets, row)
                after = targets.alone(self.seconds * SECONDS_ALONE)
                if figures:
                    figures["alone"] = {name: (before[name] + after[name]) / 2 for name in before}
                    row["turns"].append(figures)
                    self.say(f"    {row['profiler']:22} {row['rate']:>6}: speed {figures['speed'] / figures['alone']['speed']:.3f}, "
                             f"{figures['samples']} samples")
                before = after

    def run_turn(self, targets, row):
        """The figures, or None: then the row says why."""
        peer = self.peer_of(row)
        startup_s = next(each["startup_s"] for each in self.startups if each["profiler"] == peer.name and each["python"] == row["python"])
        try:
            return self.profile(peer, targets, row["rate"], self.seconds, startup_s)
        except (Unavailable, TargetFailed, OSError) as failure:
            row["failed"] = str(failure)
            self.say(f"    {row['profiler']:22} {row['rate']:>6}: {failure}")
            return None

    def profile(self, peer, targets, rate, seconds, startup_s):
        target = targets.of(peer.way_name, peer.way)
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        job = Job(rate, seconds, folder / "profile", pid=target.pid, truth_file=target.truth_file,
                  cpu=targets.other_cpu if self.pin else None)
        target.wake()
        try:
            figures = measure.profile(peer, target, job, startup_s, None if peer.pins_itself else job.cpu)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self.check_on(target, targets, peer)
        return figures

    @staticmethod
    def check_on(target, targets, peer):
        if not target.is_alive:
            targets.forget(peer.way_name)
            raise TargetFailed("the target died while it was profiled")
        target.rest()

    def measure_startup(self, peer, targets):
        """Of a run of the shortest duration. The reason, if it does not run with this interpreter at all."""
        key = (peer.name, targets.interpreter.name)
        if key in self.refused:
            return self.refused[key]
        if any((each["profiler"], each["python"]) == key for each in self.startups):
            return ""
        try:
            rate = STARTUP_RATE if peer.rates else NO_RATE
            figures = self.profile(peer, targets, rate, peer.shortest_s, FIRST_GUESS_S if peer.ends_by_interrupt else 0.0)
        except (Unavailable, TargetFailed, OSError) as failure:
            self.refused[key] = str(failure)
            self.say(f"    {peer.name}: {failure}")
            return self.refused[key]
        self.startups.append({"profiler": peer.name, "python": targets.interpreter.name, "startup_s": figures["startup_s"],
                              "seconds": peer.shortest_s, "own_cpu_s": figures.get("own_cpu_s")})
        return ""


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
        if not target.is_alive:
            raise TargetFailed("the target died by itself")
        target.rest()
        if figures["speed"] <= 0:
            self.forget("plain")
            raise TargetFailed("the target stands still: the profiler before left it so")
        return figures

    def forget(self, way_name):
        self.running.pop(way_name).stop()

    def stop(self):
        for target in self.running.values():
            target.stop()
        self.running = {}

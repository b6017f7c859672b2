#!/usr/bin/env python3
"""What native frames cost: flametap, a sampler made of elfutils, and py-spy, on the same processes, in turn.

For each target and rate every profiler has its turns, one after the other, each beside a turn without any; what is
printed are medians over these turns, as a Markdown table.

  stacks/s   native stacks per second (py-spy: of its whole run, because it does not say when it began to sample)
  us stopped for how long the target stood still for one of them, by the profiler's own clock, where it has one
  us lost    off the CPU per stack, beyond what the target lost unprofiled, by the kernel's account: the same for all
  progress   the target's count of rounds, profiled over unprofiled: on a busy machine noise of several percent
  unmerged   stacks of which native and Python frames could not be brought together (elfutils: that are not whole)

py-spy comes from tools/pythons, native_dwfl from the build; what is missing is named.

    bench/native.py [--seconds 2] [--turns 5] [--rates 100,1000,max] [--targets numpy,extension]
"""
import argparse
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/runtime"))
sys.dont_write_bytecode = True

import extension
import pythons

FLAMETAP = os.environ.get("FLAMETAP", str(ROOT / "build/flametap"))
NUMPY_MINOR = "3.13"
EXTENSION_MINOR = "3.13"


class Target:
    """A running program of bench/targets that counts its rounds."""

    def __init__(self, interpreter, script, env, folder):
        self.counter = Path(folder) / "counter"
        self.counter.write_bytes(bytes(8))
        self.process = subprocess.Popen([*interpreter.command, str(ROOT / "bench/targets" / script), str(self.counter)],
                                        env=interpreter.environment(env), stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def rounds(self):
        return struct.unpack("q", self.counter.read_bytes())[0]

    def on_cpu(self):
        """Seconds that its main thread ran."""
        return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[0]) / 1e9

    def stop(self):
        self.process.kill()
        self.process.wait()


def start_numpy(folder):
    found = [each for each in pythons.equipped("numpy") if "%d.%d" % each.minor == NUMPY_MINOR]
    if not found:
        raise LookupError("no numpy: tools/pythons fetch")
    # One thread, because not all profilers see those without Python.
    return Target(found[0], "native_numpy.py", {"OPENBLAS_NUM_THREADS": "1"}, folder)


def start_extension(folder):
    found = pythons.one_of_each(pythons.find(), (EXTENSION_MINOR,))
    if not found:
        raise LookupError("no CPython " + EXTENSION_MINOR)
    return Target(found[0], "native_extension.py", extension.in_environment(found[0]), folder)


TARGETS = {"numpy": start_numpy, "extension": start_extension}


class Flametap:
    name = "flametap"

    def __init__(self, folder):
        self.stats = Path(folder) / "stats.json"
        if not Path(FLAMETAP).exists():
            raise LookupError(f"{FLAMETAP} is not built")

    def command(self, pid, rate, seconds):
        return [FLAMETAP, "record", "--native", "-p", str(pid), "-d", str(seconds), "-r", rate, "-o", "/dev/null",
                "-f", "folded", "--stats", str(self.stats)]

    def result(self, _out, _err, _wall):
        stats = json.loads(self.stats.read_text())
        return {"stacks": stats["samples"], "seconds": stats["duration_s"],
                "stopped_us": stats["median_stop_ns"] / 1000,
                "unmerged": stats["unmerged"] / max(1, stats["samples"])}


class Elfutils:
    name = "elfutils"

    def __init__(self, _folder):
        self.program = Path(FLAMETAP).with_name("native_dwfl")
        if not self.program.exists():
            raise LookupError(f"{self.program} is not built")

    def command(self, pid, rate, seconds):
        return [str(self.program), str(pid), "0" if rate == "max" else rate, str(seconds)]

    def result(self, out, _err, _wall):
        said = json.loads(out)
        return {"stacks": said["samples"], "seconds": said["duration_s"], "stopped_us": said["median_stopped_us"],
                "unmerged": 1 - said["whole"] / max(1, said["samples"])}


class PySpy:
    name = "py-spy"

    def __init__(self, folder):
        found = pythons.equipped("py-spy")
        if not found:
            raise LookupError("no py-spy: tools/pythons fetch")
        self.program = Path(found[0].command[0]).with_name("py-spy")
        self.output = Path(folder) / "py-spy.raw"

    def command(self, pid, rate, seconds):
        # Takes whole seconds, and goes on beyond them until it has RATE x SECONDS samples.
        return [str(self.program), "record", "--native", "--full-filenames", "--format", "raw", "-p", str(pid),
                "-r", "5000" if rate == "max" else rate, "-d", str(max(1, round(seconds))), "-o", str(self.output)]

    def result(self, out, err, wall):
        counts = re.search(r"Samples: (\d+) Errors: (\d+)", out + err)
        stacks = int(counts[1]) if counts else sum(int(line.rpartition(" ")[2]) for line in self.output.open())
        return {"stacks": stacks, "seconds": wall, "stopped_us": None, "unmerged": None}


def watch(target, seconds, command=None):
    """One turn: what the target did meanwhile, and what the profiler printed."""
    started, on_cpu, rounds = time.monotonic(), target.on_cpu(), target.rounds()
    out = err = ""
    if command:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise LookupError(f"{command[0]} failed with {done.returncode}: {done.stderr[-300:].strip()}")
        out, err = done.stdout, done.stderr
    else:
        time.sleep(seconds)
    wall = time.monotonic() - started
    return {"wall": wall, "off": wall - (target.on_cpu() - on_cpu), "speed": (target.rounds() - rounds) / wall,
            "out": out, "err": err}


def turn(profiler, target, rate, seconds):
    alone = watch(target, seconds)
    profiled = watch(target, seconds, profiler.command(target.pid, rate, seconds))
    said = profiler.result(profiled["out"], profiled["err"], profiled["wall"])
    lost = profiled["off"] - alone["off"] * profiled["wall"] / alone["wall"]
    return {"rate": said["stacks"] / said["seconds"], "stopped_us": said["stopped_us"], "unmerged": said["unmerged"],
            "lost_us": 1e6 * lost / max(1, said["stacks"]), "progress": profiled["speed"] / alone["speed"]}


def median(turns, key, shape):
    values = [each[key] for each in turns if each[key] is not None]
    return shape.format(statistics.median(values)) if values else "-"


def profilers(folder):
    for kind in (Flametap, Elfutils, PySpy):
        try:
            yield kind(folder)
        except LookupError as missing:
            print(f"{kind.name} is left out: {missing}", file=sys.stderr)


def measure(name, target, arguments, folder):
    able = list(profilers(folder))
    for rate in arguments.rates.split(","):
        turns = {profiler: [] for profiler in able}
        for _ in range(arguments.turns):
            for profiler in list(turns):
                try:
                    turns[profiler].append(turn(profiler, target, rate, arguments.seconds))
                except LookupError as failure:
                    print(f"{profiler.name} at {rate}: {failure}", file=sys.stderr)
                    del turns[profiler]
        for profiler, done in turns.items():
            print(f"| {name} | {rate} | {profiler.name} | {median(done, 'rate', '{:.0f}')} | "
                  f"{median(done, 'stopped_us', '{:.1f}')} | {median(done, 'lost_us', '{:.1f}')} | "
                  f"{median(done, 'progress', '{:.3f}')} | {median(done, 'unmerged', '{:.2%}')} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rates", default="100,1000,max")
    parser.add_argument("--targets", default="numpy,extension")
    arguments = parser.parse_args()
    print("| target | rate | profiler | stacks/s | us stopped | us lost | progress | unmerged |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.targets.split(","):
        with tempfile.TemporaryDirectory() as folder:
            try:
                target = TARGETS[name](folder)
            except LookupError as missing:
                print(f"{name} is left out: {missing}", file=sys.stderr)
                continue
            try:
                measure(name, target, arguments, folder)
            finally:
                target.stop()


if __name__ == "__main__":
    main()

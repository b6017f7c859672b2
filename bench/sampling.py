#!/usr/bin/env python3
"""How fast flametap samples, and what that costs the target.

For each interpreter, depth and rate the target runs unprofiled and profiled in turn, several times, in the same process;
what is printed are medians over these turns. "loss" is the share of the wall time in which the target was ready to run
but did not, by the kernel's own account of it (schedstat), beyond what it lost unprofiled. "progress" is its count of calls, profiled over
unprofiled: on a busy machine it is noise of several percent.

    bench/sampling.py [--seconds 1] [--turns 5] [--rates 100,1000,10000,max] [--depths 20,200] [--pythons 3.8,3.11,3.13]
"""
import argparse
import json
import os
import statistics
import struct
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "bench/targets/deep.py"
WORKS = {"long calls of C": "c", "calls of some us": "us", "several calls per us": "tiny"}


def interpreters(wanted):
    listed = json.loads(subprocess.check_output([ROOT / "tools/pythons", "list", "--json"], stderr=subprocess.DEVNULL))
    for version in wanted:
        for python in listed:
            if python["version"].startswith(version + ".") and not python["debug"]:
                yield python
                break
        else:
            print(f"no CPython {version} here")


class Target:
    def __init__(self, python, depth, work, folder):
        self.counter = Path(folder) / "counter"
        self.process = subprocess.Popen(
            [*python["command"], str(TARGET), str(self.counter), "--depth", str(depth), "--work", work],
            env={**os.environ, **python["env"]}, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def calls(self):
        return struct.unpack_from("q", self.counter.read_bytes())[0]

    def waited(self):
        return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9

    def stop(self):
        self.process.kill()
        self.process.wait()


def watch(target, seconds, command=None):
    """One turn: what the target did meanwhile, and what the profiler used."""
    started, waited, calls = time.monotonic(), target.waited(), target.calls()
    own_cpu = 0.0
    if command:
        profiler = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(profiler.pid, 0)
        profiler.returncode = os.waitstatus_to_exitcode(status)
        if profiler.returncode:
            raise SystemExit(f"{command} failed with {profiler.returncode}")
        own_cpu = usage.ru_utime + usage.ru_stime
    else:
        time.sleep(seconds)
    wall = time.monotonic() - started
    return {"lost": (target.waited() - waited) / wall, "speed": (target.calls() - calls) / wall,
            "own_cpu": own_cpu / wall}


def measure(flametap, target, rate, arguments, folder):
    stats = Path(folder) / "stats.json"
    command = [flametap, "record", "-p", str(target.process.pid), "-d", str(arguments.seconds), "-r", rate,
               "-o", "/dev/null", "-f", "folded", "--stats", str(stats)]
    turns = []
    for _ in range(arguments.turns):
        alone = watch(target, arguments.seconds)
        profiled = watch(target, arguments.seconds, command)
        counted = json.loads(stats.read_text())
        turns.append({"samples": counted["samples"] / counted["duration_s"], "steps": counted["steps"],
                      "missed": counted["missed_ticks"], "failed": counted["torn"] + counted["unreadable"],
                      "loss": profiled["lost"] - alone["lost"], "progress": profiled["speed"] / alone["speed"],
                      "own_cpu": profiled["own_cpu"]})
    median = {key: statistics.median(turn[key] for turn in turns)
              for key in ("samples", "missed", "failed", "loss", "progress", "own_cpu")}
    steps = {step: sum(turn["steps"][step] for turn in turns) for step in turns[0]["steps"]}
    median["rides"] = steps["ride_along"] / max(1, sum(steps.values()))
    return median


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rates", default="100,1000,10000,max")
    parser.add_argument("--depths", default="20,200")
    parser.add_argument("--pythons", default="3.8,3.11,3.13")
    arguments = parser.parse_args()
    flametap = os.environ.get("FLAMETAP", str(ROOT / "build/flametap"))
    print(f"{'python':24} {'depth':>5} {'work':22} {'rate':>6} {'samples/s':>10} {'missed':>7} {'failed':>7} {'rides':>6} "
          f"{'loss':>7} {'progress':>8} {'own CPU':>8}")
    for python in interpreters(arguments.pythons.split(",")):
        for depth in map(int, arguments.depths.split(",")):
            for work, option in WORKS.items():
                with tempfile.TemporaryDirectory() as folder:
                    target = Target(python, depth, option, folder)
                    try:
                        for rate in arguments.rates.split(","):
                            row = measure(flametap, target, rate, arguments, folder)
                            print(f"{python['name']:24} {depth:5} {work:22} {rate:>6} {row['samples']:10.0f} "
                                  f"{row['missed']:7.0f} {row['failed']:7.0f} {row['rides']:6.0%} {row['loss']:7.2%} "
                                  f"{row['progress']:8.3f} {row['own_cpu']:8.2%}", flush=True)
                    finally:
                        target.stop()


if __name__ == "__main__":
    main()

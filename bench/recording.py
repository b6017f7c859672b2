#!/usr/bin/env python3
"""What long recordings and many threads cost: missed ticks, own CPU time, memory, bytes in the file.

    bench/recording.py [--seconds 10] [--pythons 3.8,3.11,3.13]

"threads": 200 threads at 100 Hz, of which 0, 1 or 8 compute. "long": one busy thread as fast as possible, to an .ftap
file: memory after one and after five times the duration (it must not grow with time), and bytes per sample; ten hours at
1 kHz are 36,000,000 samples.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/runtime"))
sys.dont_write_bytecode = True

import pythons

THREADS = 200
TEN_HOURS = 36_000_000


def start(python, script, *words):
    process = subprocess.Popen([*python.command, str(ROOT / "bench/targets" / script), *map(str, words)],
                               env=python.environment(), stdout=subprocess.PIPE)
    process.stdout.readline()
    return process


def record(pid, seconds, rate, out, stats):
    """The statistics of one recording, and what flametap used for it."""
    flametap = os.environ.get("FLAMETAP", str(ROOT / "build/flametap"))
    profiler = subprocess.Popen([flametap, "record", "-p", str(pid), "-d", str(seconds), "-r", rate, "--mode", "wall",
                                 "-o", str(out), "--stats", str(stats)], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(profiler.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit("flametap failed")
    counted = json.loads(stats.read_text())
    counted["own_cpu"] = (usage.ru_utime + usage.ru_stime) / counted["duration_s"]
    counted["memory_mb"] = usage.ru_maxrss / 1024
    return counted


def bench_threads(python, seconds, folder):
    for busy in (0, 1, 8):
        target = start(python, "many_threads.py", THREADS, busy)
        try:
            row = record(target.pid, seconds, "100", folder / "threads.ftap", folder / "stats")
        finally:
            target.kill()
            target.wait()
        print(f"{python.name:24} threads  {THREADS} at 100 Hz, {busy} busy: {row['ticks']} ticks, {row['missed_ticks']} missed, "
              f"{row['torn'] + row['unreadable']} failed, own CPU {row['own_cpu']:.1%}, {row['memory_mb']:.0f} MB", flush=True)


def bench_long(python, seconds, folder):
    target = start(python, "deep.py", folder / "truth", "--depth", 20, "--work", "us")
    out = folder / "long.ftap"
    try:
        for times in (1, 5):
            row = record(target.pid, times * seconds, "max", out, folder / "stats")
            per_sample = out.stat().st_size / max(1, row["samples"])
            print(f"{python.name:24} long     {row['samples']} samples in {times * seconds:g} s: {row['memory_mb']:.0f} MB of memory, "
                  f"{per_sample:.2f} bytes per sample, so {per_sample * TEN_HOURS / 1e6:.0f} MB for ten hours at 1 kHz",
                  flush=True)
    finally:
        target.kill()
        target.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--pythons", default="3.8,3.11,3.13")
    arguments = parser.parse_args()
    for python in pythons.one_of_each(pythons.find(), arguments.pythons.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            bench_threads(python, arguments.seconds, Path(folder))
            bench_long(python, arguments.seconds, Path(folder))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What tracing costs the program that is traced: flametap, bpftrace and cProfile, on the same process, in turn.

For each interpreter every tracer has its turns, one after the other, each beside a turn without any; what is printed are
medians of the ratio of the two, as a Markdown table: 3 means that the program took three times as long.

  all       every call and return, to a file as JSON lines (bpftrace: as text)
  rare      --function of one function that is one call in 10,000 (bpftrace: a predicate on its name)
  summary   --summary of all calls
  top       --top of all calls
  cProfile  inside of the program, for comparison

The last column says whether tracing the rare function slows the program by at most half of what tracing all does. On 3.11
the marker of a call's beginning is silent for bpftrace: it sees the ends only, so does less.

    bench/tracing.py [--calls 200000] [--turns 5] [--pythons 3.9,3.11,3.15]
"""
import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/runtime"))
sys.dont_write_bytecode = True

import pythons
import tracing

FLAMETAP = os.environ.get("FLAMETAP", str(ROOT / "build/flametap"))
TARGET = ROOT / "bench/targets/rare.py"


class Target:
    def __init__(self, python, calls):
        self.process = subprocess.Popen([*python.command, str(TARGET), str(calls)], env=python.environment(),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.pid = self.process.pid
        self.marks = tracing.marks_of(self, python)

    def turn(self, word="go"):
        """The seconds that one turn took."""
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def stop(self):
        self.process.kill()
        self.process.wait()


def flametap(*words):
    return lambda target, path, out: [FLAMETAP, "trace", "-p", str(target.pid), "-o", str(out), *words]


def bpftrace(predicate):
    def command(target, path, out):
        probes = ",".join(f"usdt:{path}:python:function__{end}" for end in ("entry", "return"))
        program = f'{probes} {predicate} {{ printf("%d %s %s:%s:%d\\n", nsecs, probe, str(arg0), str(arg1), arg2); }}'
        return ["bpftrace", "-p", str(target.pid), "-o", str(out), "-e", program]

    return command


TRACERS = {
    "all": flametap("--format", "jsonl"),
    "rare": flametap("--format", "jsonl", "--function", "^rare$"),
    "summary": flametap("--summary"),
    "top": flametap("--top", "--batch"),
    "bpftrace all": bpftrace(""),
    "bpftrace rare": bpftrace('/str(arg1) == "rare"/'),
}


def traced_turn(target, path, make_command, folder):
    tracer = subprocess.Popen(make_command(target, path, folder / "out"), stdout=subprocess.DEVNULL,
                              stderr=(folder / "err").open("w"), env={**os.environ, "BPFTRACE_STRLEN": "64"})
    try:
        tracing.wait_until(lambda: tracer.poll() is not None or any(target.marks.semaphores().values()), "it traces")
        if tracer.poll() is None:
            target.turn()  # by its end all of the tracer is attached
            return target.turn()
        print((folder / "err").read_text().strip(), file=sys.stderr)
        return None
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        tracing.wait_until(target.marks.are_at_rest, "nothing of it stays")


def bench(python, calls, turns, folder):
    target, path = Target(python, calls), tracing.marked_file(python)
    ratios = {name: [] for name in (*TRACERS, "cProfile")}
    absent = set() if shutil.which("bpftrace") else {name for name in ratios if name.startswith("bpftrace")}
    try:
        for _ in range(turns):
            for name in (each for each in ratios if each not in absent):
                plain = target.turn()
                took = target.turn("profile") if name == "cProfile" else traced_turn(target, path, TRACERS[name], folder)
                if took is None:
                    absent = absent | {name}
                else:
                    ratios[name].append(took / plain)
    finally:
        target.stop()
    return {name: statistics.median(each) if each else None for name, each in ratios.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=200_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--pythons", default="3.9,3.11,3.15")
    arguments = parser.parse_args()
    marked = pythons.one_of_each(tracing.with_markers(pythons.find(), "call"), arguments.pythons.split(","))
    names = [*TRACERS, "cProfile"]
    print("| python |", " | ".join(names), "| rare at most half of all |")
    print("|---" * (len(names) + 2) + "|")
    for python in marked:
        with tempfile.TemporaryDirectory() as folder:
            row = bench(python, arguments.calls, arguments.turns, Path(folder))
        cells = [f"{row[name]:.2f}" if row[name] else "-" for name in names]
        holds = row["rare"] and row["all"] and row["rare"] - 1 <= (row["all"] - 1) / 2
        print(f"| {python.name} |", " | ".join(cells), f"| {'yes' if holds else 'no'} |", flush=True)


if __name__ == "__main__":
    main()

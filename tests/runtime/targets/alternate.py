"""Alternates between a deep chain of calls (A0 .. A11) and a shallow one (B0, B1) below a static stack, for ever.

Every function has one role, so that the possible stacks are known: <module>, S0 .. S5, loop, and then nothing, or A0
.. Ak, or B0 .. Bk. So are the lines: whoever is not the innermost frame stands on the one line where it calls.

Chance decides which kind of round comes next, and how long it is. On a busy machine the scheduler gives a sampler its turn
after a slice of time that began, and ends, where the target read its CPU clock: the kernel accounts for the slice there. In
a fixed order the sampler would meet one kind again and again.

The truth about the shares of time. Reading a clock around every call would cost as much as the call and would itself
be sampled, and durations calibrated beforehand are not those of the sampled run (caches, frequency, other programs:
several percent here). So the calls come in three kinds of rounds of 100 to 300 us each, `only A`, `only B` and `A and B
in turn`, and the clock is read between the rounds alone. What the rounds took is what truly happened in this very
run, and a sample tells its round by the line on which `loop` stands. The error is where within the reading of a clock
its moment lies: below 0.1 us per round on each side, the same for all rounds, so below 0.05 % of a share. Within a
round the stack changes several times per microsecond all the same, and the third kind changes between the chains at
every call.

Two clocks are kept. Samples are taken at moments of wall time, so that is the measure. But a sampler that makes us
stand still lengthens the round that it hits, and if the deeper stack takes longer to read, then that round more than
others; CPU time does not see that. The difference between the two shares bounds this error of the truth in either
direction.

Arguments: the file of counters (see Counters in target.py), the work of a leaf (loop turns) and, perhaps, the file of a
history. Counters: version, then wall ns of the rounds (A, B, both), then CPU ns of the rounds. The history has a row of
eight words for every version: when it was written (ns since 1970), and the counters behind the version; after the last
row of the file comes the first one again. Says {"lines": {...}, "depth": {...}}.
"""

import functools
import itertools
import json
import mmap
import os
import random
import struct
import sys
import time

DEPTH = {"A": 12, "B": 2}
STATIC = 6
ROUND_US = 200

CHAINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "chains-of-alternate")


def chains(work):
    """The functions of both chains, each in three lines: def, call (or the leaf's loop), return."""
    source = []
    for family, depth in sorted(DEPTH.items()):
        for number in range(depth - 1):
            source += ["def %s%d():" % (family, number), "    %s%d()" % (family, number + 1), "    return"]
        source += ["def %s%d():" % (family, depth - 1), "    for _ in range(%d): pass" % work, "    return"]
    return "\n".join(source) + "\n"


def clocks():
    """Wall time and CPU time of this thread, in ns. The older ones are frames named `clock` on top of `loop`."""
    if hasattr(time, "thread_time_ns"):
        return time.perf_counter_ns, time.thread_time_ns
    return older_clocks()


def older_clocks():
    # Python 2 has no clock that never jumps; but nobody sets the time within the seconds of a test. And it has the
    # CPU time of the process only; but there is only one thread.
    seconds = getattr(time, "perf_counter", time.time)
    cpu_seconds = time.clock if sys.version_info[0] == 2 else functools.partial(
        time.clock_gettime, time.CLOCK_THREAD_CPUTIME_ID)

    def clock(read):
        return int(read() * 1e9)

    return functools.partial(clock, seconds), functools.partial(clock, cpu_seconds)


def calls_per_round(a, b, cpu):
    """How many calls of A, of B, and of both in turn make ROUND_US."""
    def duration(function):
        start = cpu()
        for _ in range(2000):
            function()
        return (cpu() - start) / 2000.0
    of_a, of_b = duration(a), duration(b)
    return [max(1, int(ROUND_US * 1000 / each)) for each in (of_a, of_b, of_a + of_b)]


def loop():
    a, b = CHAIN["A0"], CHAIN["B0"]
    wall, cpu = clocks()
    count_a, count_b, count_both = calls_per_round(a, b, cpu)
    spent_wall, spent_cpu = [0, 0, 0], [0, 0, 0]
    kinds_and_lengths = [(random.randrange(3), random.uniform(0.5, 1.5)) for _ in range(9973)]
    rounds = itertools.cycle(kinds_and_lengths)
    version = 0
    pack, pack_version = struct.Struct("=8q").pack_into, struct.Struct("=q").pack
    place, now_unix = 0, time.time
    say_lines()
    while True:
        for _ in range(3):
            kind, length = next(rounds)
            if kind == 0:
                count = int(count_a * length)
                cpu_start = cpu()
                start = wall()
                for _ in range(count):
                    a()  # only A
                now = wall()
                cpu_now = cpu()
            elif kind == 1:
                count = int(count_b * length)
                cpu_start = cpu()
                start = wall()
                for _ in range(count):
                    b()  # only B
                now = wall()
                cpu_now = cpu()
            else:
                count = int(count_both * length)
                cpu_start = cpu()
                start = wall()
                for _ in range(count):
                    a()  # A of both
                    b()  # B of both
                now = wall()
                cpu_now = cpu()
            spent_wall[kind] += now - start
            spent_cpu[kind] += cpu_now - cpu_start

        # The version is odd meanwhile. It is written with one store; pack_into() fills with zeros first.
        COUNTERS[0:8] = pack_version(version + 1)
        pack(COUNTERS, 8, *(spent_wall + spent_cpu + [0, 0]))
        version += 2
        COUNTERS[0:8] = pack_version(version)
        if HISTORY is not None:
            pack(HISTORY, place, int(now_unix() * 1e9), *(spent_wall + spent_cpu + [0]))
            place = (place + 64) % len(HISTORY)


def say_lines():
    """The lines on which `loop` calls, by the remark at their end."""
    lines = {}
    with open(__file__) as source:
        for number, line in enumerate(source, 1):
            for kind in ("only A", "only B", "A of both", "B of both"):
                if line.rstrip().endswith("()  # " + kind):
                    lines[kind] = number
                    lines["for " + kind] = number - 1
    lines["for B of both"] = lines["for A of both"]
    os.write(1, json.dumps({"lines": lines, "depth": DEPTH, "static": STATIC}).encode("ascii") + b"\n")


CHAIN = {}
with open(sys.argv[1], "r+b") as counters_file:
    COUNTERS = mmap.mmap(counters_file.fileno(), 4096)
HISTORY = None
if len(sys.argv) > 3:
    with open(sys.argv[3], "r+b") as history_file:
        HISTORY = mmap.mmap(history_file.fileno(), 0)
exec(compile(chains(int(sys.argv[2])), CHAINS, "exec"), CHAIN)
STATIC_SOURCE = "".join("def S%d():\n    S%d()\n" % (n, n + 1) for n in range(STATIC - 1))
exec(compile(STATIC_SOURCE + "def S%d():\n    loop()\n" % (STATIC - 1), CHAINS, "exec"), globals())
S0()

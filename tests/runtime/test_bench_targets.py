"""The targets of the benchmark say the truth about themselves: bench/targets/README.md.

Their word is checked from outside, where that is possible: the CPU time is the kernel's. Which stacks are possible they
check themselves with sys.setprofile (--check), before they describe themselves. Two run at a time.
"""

import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

import delays
import pythons
from target import PATIENCE_S, Target

TARGETS = pythons.REPOSITORY / "bench" / "targets"
sys.path.append(str(TARGETS))

import catalogue

# The targets measure at their start how long their blocks take: what the machine does then, it has to do later, too.
pytestmark = pytest.mark.alone

INTERPRETERS = pythons.find()
MEASURED_S = 0.12
LOOKS = 10
MOST_LOOKS = 100
REST = "work"

# One variant of each file, the cheapest to check, is run on one interpreter of each kind, in a full run on all of them.
ON_ALL = ("calls-1us", "mixed", "deep-200-us", "alternating-50us", "flat", "gil", "asyncio", "periodic-1ms", "lines",
          "realistic", "generators", "system-calls")
SMALLER = {"processes": ["--children", "2"], "imports": ["--modules", "20"]}  # --check takes its time

BY_NAME = {each.name: each for each in catalogue.CATALOGUE}
OTHERS = [each.name for each in catalogue.CATALOGUE if not each.needs and each.name not in (*ON_ALL, *SMALLER)]


def cpu_time(pid):
    """Of all threads of another process, in seconds: the kernel's clock of it, which is up to 4 ms behind."""
    return time.clock_gettime((~pid << 3) | 2)


def cpu_times(pid):
    """The same for each thread of a process that is stopped: there it is exact.

    The kernel adds what a thread used when it leaves its CPU, or at the next tick.
    """
    paths = Path("/proc/%d/task" % pid).glob("*/schedstat")
    return {path.parent.name: int(path.read_text().split()[0]) / 1e9 for path in paths}


class Running:
    """A started target with its description."""

    def __init__(self, interpreter, variant, folder):
        self.path = folder / ("%s-%s.truth" % (interpreter.name, variant.name))
        argv = [*interpreter.command, TARGETS / variant.file, self.path, *variant.options, "--check", "1"]
        self.target = Target(argv, env=interpreter.environment())
        self.said = self.target.says()
        self.cells_of = self.said.get("cells") or {label: [1 + i] for i, label in enumerate(self.said["labels"])}

    def cells(self):
        content = self.path.read_bytes()
        return struct.unpack("<%dq" % (len(content) // 8), content)

    def waited_s(self):
        """How long it has been ready, all of its threads together, without a CPU."""
        threads = [int(thread.name) for thread in Path("/proc/%d/task" % self.target.pid).iterdir()]
        return delays.stolen_s() + sum(delays.waited_for_cpu_s(self.target.pid, thread) for thread in threads)

    def _look_once(self):
        """The cells and what each thread has used, soon after a block ended: until then, it counts nowhere."""
        progress = self.cells()[0]
        self._wait_until(lambda: self.cells()[0] != progress)
        with self.target.stopped():
            return self.cells(), cpu_times(self.target.pid)

    def _look(self):
        """Of several looks the one at which the least was missing: a battle for the GIL can make a block long.

        On a busy machine most looks come late, in the midst of a block. So the two best ones have to agree.
        """
        looks = []
        while len(looks) < LOOKS or (len(looks) < MOST_LOOKS and looks[1][0] - looks[0][0] > self.said["tolerance_s"] / 4):
            cells, used = self._look_once()
            looks.append((sum(used.values()) - sum(self.times(cells).values()), cells, used))
            looks.sort(key=lambda look: look[0])
        return looks[0][1:]

    def times(self, cells):
        return {label: sum(cells[cell] for cell in own) / 1e9 for label, own in self.cells_of.items()}

    def measure(self, seconds):
        """What the cells gained until it had used so much CPU time, and what the threads that have cells really used.

        They are those that used the most: the others only wait, and wake up to be stopped.
        """
        cells, used = self._look()
        enough_s = cpu_time(self.target.pid) + seconds
        self._wait_until(lambda: cpu_time(self.target.pid) > enough_s and self._has_spent_in_all_since(cells))
        cells_then, used_then = self._look()
        gains_s = sorted(then - used[thread] for thread, then in used_then.items())
        working = len(self.cells_of[REST])
        return [then - now for now, then in zip(cells, cells_then)], sum(gains_s[-working:])

    def _has_spent_in_all_since(self, cells):
        before, now = self.times(cells), self.times(self.cells())
        return all(now[label] > before[label] for label in before)

    @staticmethod
    def _wait_until(condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline, "it does not work"
            time.sleep(0.0005)  # whoever spins here takes the CPU from the targets


def shares_of(times):
    return {label: spent / sum(times.values()) for label, spent in times.items()}


def compare_shares(designed, times, what, waited_s=0):
    """The order of magnitude only: how long a block takes depends on what else the machine does. `waited_s` of wall time may
    be missing in any of them."""
    times = {label: times[label] for label in designed}
    missing = waited_s / sum(times.values())
    for label, share in shares_of(times).items():
        assert designed[label] / 3 - missing < share < designed[label] * 3 + missing, (what, label, share, designed, missing)


def check_description(said):
    assert len(set(said["labels"])) == len(said["labels"]) and REST in said["labels"]
    re.compile(said["possible"])
    assert said["label_of"] == "any" and said["threads"] >= 1
    assert said["checked"] > 0
    for lines in said["lines"].values():
        assert all(line > 0 for line in lines)


def check_attached(interpreter, variant, folder):
    running = Running(interpreter, variant, folder)
    try:
        check_description(running.said)
        waited_before_s = running.waited_s()
        gained, used_s = running.measure(running.said.get("measured_s", MEASURED_S))
        waited_s = running.waited_s() - waited_before_s
    finally:
        running.target.end()
    assert gained[0] > 0, "no progress"
    times = running.times(gained)
    assert abs(sum(times.values()) - used_s) <= 0.01 * used_s + running.said["tolerance_s"], (times, used_s)
    for label in running.said["labels"]:
        assert times[label] > 0, label
    if "shares" in running.said:
        by_wall_clock = running.said.get("by_wall_clock", False)
        compare_shares(running.said["shares"], times, "all threads", waited_s if by_wall_clock else 0)
    for thread, designed in running.said.get("shares_by_thread", {}).items():
        own = {label: gained[cells[int(thread)]] for label, cells in running.cells_of.items()}
        # A thread may have got little of the GIL so far.
        if sum(own.values()) > 0.1e9:
            compare_shares(designed, own, "thread " + thread)
    check_wall_time(running, gained, times)
    check_lines(running, gained, times)


def check_wall_time(running, gained, times):
    """No label can have used more CPU time than wall time; a clock's call lies in one of them, but not in the other.

    What a call costs is taken from each block and given to the rest. It was measured at the start, so the rest by itself
    is no more exact than that; in the sum it cancels out.
    """
    wall_cells = running.said.get("wall_cells", {})
    walls = {label: sum(gained[cell] for cell in cells) / 1e9 for label, cells in wall_cells.items()}
    for label in set(walls) - {REST}:
        assert times[label] <= 1.1 * walls[label] + running.said["tolerance_s"], label
    if walls:
        assert sum(times.values()) <= 1.01 * sum(walls.values()) + running.said["tolerance_s"], (times, walls)


def check_lines(running, gained, times):
    line_labels = running.said.get("line_labels", {})
    if line_labels:
        in_lines = sum(gained[cell] for cell in set(line_labels.values())) / 1e9
        in_labels = sum(spent for label, spent in times.items() if label != REST)
        assert abs(in_lines - in_labels) <= running.said["tolerance_s"]


def check_launched(interpreter, variant, folder):
    """Those that end by themselves: what they write at the end, and that no time is invented."""
    path, described = folder / (interpreter.name + ".truth"), folder / (interpreter.name + ".json")
    words = [path, *SMALLER.get(variant.name, variant.options), "--description", described, "--check", "1"]
    process = subprocess.Popen([*interpreter.command, str(TARGETS / variant.file), *map(str, words)],
                               env=interpreter.environment(), stdout=subprocess.PIPE)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert printed.decode() == described.read_text()
    said = json.loads(printed)
    check_description(said)
    content = path.read_bytes()
    cells = struct.unpack("<%dq" % (len(content) // 8), content)
    cells_of = said.get("cells") or {label: [1 + i] for i, label in enumerate(said["labels"])}
    times = {label: sum(cells[cell] for cell in own) / 1e9 for label, own in cells_of.items()}
    assert all(spent > 0 for spent in times.values()), times
    assert sum(times.values()) <= usage.ru_utime + usage.ru_stime + 0.01
    if "shares" in said:
        compare_shares(said["shares"], times, "all processes")


def check_all(interpreters, variant, folder):
    """Checks a variant on many interpreters, two at a time, and names all on which it fails."""
    check = check_attached if variant.kind == "attach" else check_launched
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        checks = {each.name: pool.submit(check, each, variant, folder) for each in interpreters}
    failures = {name: repr(done.exception()) for name, done in checks.items() if done.exception()}
    assert not failures, "\n".join("%s: %s" % failure for failure in failures.items())


@pytest.mark.parametrize("name", (*ON_ALL, *SMALLER))
def test_is_true_on_every_kind_of_interpreter(name, tmp_path):
    variant = BY_NAME[name]
    fitting = [each for each in INTERPRETERS if catalogue.runs_on(variant, each.minor)]
    check_all(pythons.some(fitting), variant, tmp_path)


@pytest.mark.parametrize("name", OTHERS)
def test_other_variants_are_true(usual_python, name, tmp_path):
    check_all([usual_python], BY_NAME[name], tmp_path)


def test_numpy_is_true(tmp_path):
    with_numpy = pythons.equipped("numpy")
    if not with_numpy:
        pytest.skip("no interpreter with numpy: see tools/pythons")
    check_all(with_numpy, BY_NAME["numpy"], tmp_path)


def test_every_file_is_listed():
    """A target that nobody runs is no target."""
    of_this_kind = {path.name for path in TARGETS.glob("*.py") if "truth_cells.options(" in path.read_text()}
    assert of_this_kind == {each.file for each in catalogue.CATALOGUE}
    on_all = {BY_NAME[name].file for name in (*ON_ALL, *SMALLER)}
    assert on_all == {each.file for each in catalogue.CATALOGUE if not each.needs}

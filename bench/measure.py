"""One turn of a profiler on a target, and what came of it: figures as plain numbers, ready to be written as JSON."""
import itertools
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import truth
from peers.peer import Unavailable
from timeline import Timeline

ROOT = Path(__file__).resolve().parent.parent
LOOK_EVERY_S = 0.02
LOOKS_AT_MEMORY = 5  # one look in so many
EDGE_S = 0.02  # how well we know when a profiler began and ended
PATIENCE_S = 40  # beyond the duration
DUMPS = 3
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WORDS = 300  # of what a profiler prints when it fails, so many characters


class Ran(NamedTuple):
    """A finished profiler."""
    timeline: Timeline
    started: float
    first_words: float  # when it printed something, 0 if it did not
    ended: float
    code: int
    usage: object
    memory_kb: int  # at its peak, as far as it was looked at
    out: str
    err: str


def watch_alone(target, seconds):
    """The target's figures for so long, unprofiled."""
    timeline = Timeline()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        timeline.add(target.snapshot())
        time.sleep(LOOK_EVERY_S)
    timeline.add(target.snapshot())
    return speeds(timeline, timeline.begin, timeline.end)


def speeds(timeline, begin, end):
    passed = timeline.during(begin, end)
    seconds = passed.time or 1e-9
    return {"speed": passed.cells[0] / seconds, "running": passed.ran_s / seconds, "waiting": passed.waited_s / seconds}


class Watch:
    """A running profiler, and snapshots of its target all the while."""

    def __init__(self, command, environment, folder, target, cpu):
        self.target, self.timeline = target, Timeline()
        self.files = folder / "stdout", folder / "stderr"
        self.started, self.first_words, self.memory_kb = time.monotonic(), 0.0, 0
        self.look(0)
        with self.files[0].open("wb") as out, self.files[1].open("wb") as err:
            go_there = None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})
            self.process = subprocess.Popen(command, env=environment, cwd=folder, preexec_fn=go_there,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def look(self, number):
        if self.target:
            self.timeline.add(self.target.snapshot())
        if number % LOOKS_AT_MEMORY == 1:
            self.memory_kb = max(self.memory_kb, peak_memory_kb(self.process.pid))
        if number and not self.first_words and any(file.stat().st_size for file in self.files):
            self.first_words = time.monotonic()

    def until_end(self, interrupt_after, patience):
        """It is interrupted, as by Ctrl-C, after so long, and killed when patience is at its end."""
        interrupted = False
        with os.fdopen(os.pidfd_open(self.process.pid)) as ended:
            for number in itertools.count(1):
                if select.select([ended], [], [], LOOK_EVERY_S)[0]:
                    break
                self.look(number)
                lasted = time.monotonic() - self.started
                if interrupt_after and not interrupted and lasted >= interrupt_after:
                    self.process.send_signal(signal.SIGINT)
                    interrupted = True
                if lasted > patience:
                    self.process.kill()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.look(0)
        return usage

    def kill(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()


def run_profiler(command, environment, folder, target=None, interrupt_after=None, cpu=None):
    """Runs it to its end."""
    watch = Watch(command, environment, folder, target, cpu)
    try:
        usage = watch.until_end(interrupt_after, PATIENCE_S + (interrupt_after or 0))
    finally:
        watch.kill()
    out, err = (file.read_text(errors="replace") for file in watch.files)
    return Ran(watch.timeline, watch.started, watch.first_words, time.monotonic(), watch.process.returncode, usage,
               watch.memory_kb, out, err)


def peak_memory_kb(pid):
    """Of the process itself. The kernel's account at its end includes our memory, from before it became a program."""
    try:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        found = None
    return int(found[1]) if found else 0


def read_recording(peer, job, ran):
    """The Recording; Unavailable with the profiler's own words if there is none."""
    try:
        recording = peer.read(job, ran.out, ran.err)
    except (OSError, ValueError, LookupError, EOFError, TypeError) as failure:
        raise Unavailable(last_words(ran) or f"no output: {failure}") from failure
    if not recording.stacks:
        raise Unavailable(last_words(ran) or "an empty profile")
    return recording


def last_words(ran):
    """What it printed, without backtraces, colours and pictures."""
    words = COLOURS.sub("", ran.err.strip() or ran.out.strip()).split("Stack backtrace")[0]
    lines = [line for line in words.splitlines() if re.search(r"[A-Za-z]{3,}\W+[A-Za-z]{2,}", line)]
    if "Traceback" in words:
        lines = lines[-1:]
    said = without_paths(" ".join(" ".join(lines).split()))[-WORDS:].strip()
    if ran.code == -signal.SIGKILL:
        return said + f" (killed after {PATIENCE_S} s more than asked for)"
    return said + f" (exit code {ran.code})" if ran.code else said


def without_paths(text):
    """Where things lie on this machine is of no interest to readers."""
    for folder, name in ((ROOT, ""), (tempfile.gettempdir(), ""), (Path.home(), "~/")):
        text = text.replace(f"{folder}/", name)
    return text


def profile(peer, target, job, startup_s, cpu=None):
    """One turn of a profiler that attaches."""
    command, environment = peer.attach(job)
    interrupt_after = startup_s + job.seconds if peer.ends_by_interrupt else None
    ran = run_profiler(command, environment, job.output.parent, target, interrupt_after, cpu)
    target.rest()  # while we read what was written
    recording = read_recording(peer, job, ran)
    begin, end = sampled_interval(peer, recording, job, ran, startup_s)
    figures = speeds(ran.timeline, begin, end)
    figures.update(used_by(ran, peer), seconds=end - begin, output_bytes=size_of(job.output),
                   startup_s=begin - ran.started, **judged(peer, target.description, recording))
    figures.update(compared(peer, target.description, recording, ran.timeline, begin, end))
    return figures


def sampled_interval(peer, recording, job, ran, startup_s):
    """From when to when it took samples, as well as can be told."""
    if recording.first:
        return recording.first, recording.last
    begin = ran.ended - job.seconds
    if peer.speaks_at_first_sample and ran.first_words:
        begin = ran.first_words
    elif startup_s is not None:
        begin = min(begin, ran.started + startup_s)
    return begin, min(ran.ended, begin + job.seconds)


def startup(peer, target, folder):
    """How long it takes to take one sample, and its CPU time; None if it has no command for that."""
    command = peer.dump(target.pid)
    if not command:
        return None
    tries = []
    for _ in range(DUMPS):
        ran = run_profiler(command, None, folder, target)
        if ran.code:
            raise Unavailable(last_words(ran))
        tries.append((ran.ended - ran.started, ran.usage.ru_utime + ran.usage.ru_stime))
    took, cpu = sorted(tries)[DUMPS // 2]
    return {"startup_s": took, "own_cpu_s": cpu}


def used_by(ran, peer):
    seconds = ran.ended - ran.started
    cpu_s = ran.usage.ru_utime + ran.usage.ru_stime
    own = {"own_cpu_s": cpu_s, "own_cpu": cpu_s / seconds, "memory_mb": ran.memory_kb / 1024}
    return {"elapsed_s": seconds, "code": ran.code, **({} if peer.is_inside else own)}


def size_of(output):
    return sum(file.stat().st_size for file in output.parent.glob(output.name + "*"))


def judged(peer, description, recording):
    """What can be told from the recording alone."""
    total = sum(weight for _, weight in recording.stacks)
    figures = {"samples": recording.samples, "lost": recording.lost, "said": recording.said,
               "equal_samples": recording.equal_samples or recording.samples}
    if peer.has_stacks:
        impossible = truth.judge_stacks(description, recording.stacks)
        impossible["share"] = impossible["count"] / total if total else 0.0
        figures["impossible"] = impossible
    return figures


def compared(peer, description, recording, timeline, begin, end):
    """What the target and the profiler say about the same time, side by side."""
    weights, without = truth.count_labels(recording.stacks, description.label_of)
    figures = {"labels": weights, "without_label": without / max(1e-9, without + sum(weights.values()))}

    def times(first, last):
        return truth.shares(description.label_times(timeline.during(first, last).cells, wall=peer.counts_waiting))

    true = times(begin, end)
    # The truth of an interval that we know only so well: how much it depends on where it begins and ends.
    edge = EDGE_S + description.tolerance_s
    moved = times(begin + edge, end), times(begin, end - edge)
    figures["edge"] = sum(truth.distance(true, each) for each in moved) / len(moved)
    figures["truth"] = true
    if description.line_labels:
        figures["lines"], _ = truth.count_labels(recording.stacks, description.line_label_of)
        figures["line_truth"] = truth.shares(description.line_times(timeline.during(begin, end).cells))
    return figures

"""Runs the steps of a test run, several at a time where they leave each other alone, and sums them up: see ./run-tests.

Each step writes STEP.log, and STEP.xml if it has tests, into build/test-results. One that fails leaves the end of its log in
STEP.failed, so that the summary counts it.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import junit
from steps import Plan

RESULTS = Path("build/test-results")
OVER_ITS_LIMIT = 124  # the exit code of timeout
NOTHING_CHOSEN = 5  # pytest's, when no name matches
LINES_OF_A_FAILURE = 80
TERMINAL = sys.stderr.isatty()


def say(text):
    print("\r\033[K" * TERMINAL + text, file=sys.stderr, flush=True)


class Running:
    """A step under way."""

    def __init__(self, step):
        self.step = step
        self.began = time.monotonic()
        self.log = RESULTS / (step.name + ".log")
        with self.log.open("wb") as log:
            # An interrupt at the limit, because pytest then still writes down what it has.
            command = ["timeout", "--signal=INT", "--kill-after=20", str(step.limit_s), *step.command]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**os.environ, **step.env})  # fmt: skip

    def seconds(self):
        return time.monotonic() - self.began

    def last_line(self):
        with self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 500))
            lines = log.read().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def finish(self, is_filtered):
        """Says how the step went; True if it succeeded."""
        code = self.process.returncode
        succeeded = code == 0 or (code == NOTHING_CHOSEN and is_filtered)
        if not succeeded:
            self.explain(code)
        counts = junit.Counts(junit.of_step(RESULTS, self.step.name))
        tests = f"{counts}, " if counts.total else ""
        say(f"   {self.step.name}: {tests}{'done' if succeeded else 'failed'} in {self.seconds():.0f} s")
        return succeeded

    def explain(self, code):
        tail = self.log.read_text(errors="replace").splitlines()[-LINES_OF_A_FAILURE:]
        why = [f"over its limit of {self.step.limit_s} s"] if code == OVER_ITS_LIMIT else []
        (RESULTS / (self.step.name + ".failed")).write_text("\n".join(why + tail))


def show_progress(running):
    """One line on a terminal: what is under way, for how long, and the last that each has said."""
    width = shutil.get_terminal_size().columns - 1
    parts = [f"{each.step.name} {each.seconds():.0f} s: {each.last_line()}" for each in running]
    room = max(20, width // len(parts) - 3)
    print("\r\033[K" + " | ".join(part[:room] for part in parts)[:width], end="", file=sys.stderr, flush=True)


class Run:
    def __init__(self, plan):
        self.plan = plan
        self.succeeded = set()
        self.times = []

    def phase(self, steps):
        """Runs steps side by side; one that needs another that failed is left out."""
        ready = [step for step in steps if self.succeeded.issuperset(step.needs)]
        if not ready:
            return
        say("== " + ", ".join(step.name for step in ready))
        running = [Running(step) for step in ready]
        try:
            while running:
                running = [each for each in running if not self.has_ended(each)]
                if running and TERMINAL:
                    show_progress(running)
                time.sleep(0.2)
        finally:
            for each in running:
                each.process.send_signal(signal.SIGINT)
                each.process.wait()

    def has_ended(self, running):
        if running.process.poll() is None:
            return False
        self.times.append((running.step.name, running.seconds()))
        if running.finish(self.plan.is_filtered):
            self.succeeded.add(running.step.name)
        return True


def main(arguments):
    # What a shell starts in the background ignores interrupts, and so would the steps, which are ended by one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = junit.failed_names(RESULTS) if "--failed" in arguments else None
    if failed is not None and not failed:
        print("nothing failed in the last run", file=sys.stderr)
        return 0
    plan = Plan(arguments, failed)
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    run = Run(plan)
    # The interpreters come over the network while the compiler has the processor. What could not be fetched is not a
    # failure: the tests run with those that are there, and the tool names the others.
    fetching = Running(plan.fetch)
    try:
        for number, phase in enumerate(plan.phases):
            if number == plan.first_phase_with_pythons and fetching.process.wait():
                say("   no interpreter of another Debian suite; testing those of this machine")
            run.phase(phase)
    except KeyboardInterrupt:
        say("run-tests: interrupted")
        return 130
    finally:
        if fetching.process.poll() is None:
            fetching.process.terminate()
            fetching.process.wait()
    return junit.summarise(RESULTS, run.times)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Runs the steps of a test run, several at a time where they leave each other alone, and sums them up: see ./run-tests.

Each step writes STEP.log, and STEP.xml if it has tests, into build/test-results. One that fails leaves the end of its log in
STEP.failed, so that the summary counts it.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import junit
from steps import Plan

RESULTS = Path("build/test-results")
OPTIONS = "options"  # the file in it that has those of the run
OVER_ITS_LIMIT = (124, 137, -signal.SIGKILL)  # the exit codes of timeout
NOTHING_CHOSEN = 5  # pytest's, when no name matches
LINES_OF_A_FAILURE = 80
TERMINAL = sys.stderr.isatty()


def say(text):
    print("\r\033[K" * TERMINAL + text, file=sys.stderr, flush=True)


class Running:
    """A step under way.

    It has a session of its own: Linux shares the CPUs among sessions first (see autogroup in sched(7)), and what was started
    without any, as by the first process of some containers, competes with the threads of the kernel and with whole sessions.
    """

    def __init__(self, step):
        self.step = step
        self.began = time.monotonic()
        self.log = RESULTS / (step.name + ".log")
        with self.log.open("wb") as log:
            # An interrupt at the limit, because pytest then still writes down what it has.
            command = ["timeout", "--signal=INT", "--kill-after=20", str(step.limit_s), *step.command]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True, env={**os.environ, **step.env})  # fmt: skip

    def seconds(self):
        return time.monotonic() - self.began

    def last_line(self):
        with self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 500))
            lines = log.read().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def finish(self, may_choose_nothing):
        """Says how the step went; True if it succeeded."""
        code = self.process.returncode
        succeeded = code == 0 or (code == NOTHING_CHOSEN and may_choose_nothing)
        if not succeeded:
            self.explain(code)
        counts = junit.Counts(junit.of_step(RESULTS, self.step.name))
        tests = f"{counts}, " if counts.total else ""
        say(f"   {self.step.name}: {tests}{'done' if succeeded else 'failed'} in {self.seconds():.0f} s")
        return succeeded

    def explain(self, code):
        tail = self.log.read_text(errors="replace").splitlines()[-LINES_OF_A_FAILURE:]
        why = [f"over its limit of {self.step.limit_s} s"] if code in OVER_ITS_LIMIT else []
        record_failure(self.step, "\n".join(why + tail))


def record_failure(step, reason):
    (RESULTS / (step.name + ".failed")).write_text(reason)


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
        """Runs steps side by side; one that needs another that failed is not run, which counts as a failure."""
        ready = [step for step in steps if self.succeeded.issuperset(step.needs)]
        for step in steps:
            if step not in ready:
                record_failure(step, "not run: " + ", ".join(set(step.needs) - self.succeeded) + " failed")
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
                record_failure(each.step, "interrupted")

    def has_ended(self, running):
        if running.process.poll() is None:
            return False
        self.times.append((running.step.name, running.seconds()))
        if running.finish(bool(self.plan.names)):
            self.succeeded.add(running.step.name)
        return True


def why_wrong(arguments):
    """The reason why these are not the options and names of a run, or None."""
    names = [argument for argument in arguments if not argument.startswith("-")]
    if "--failed" in arguments and len(arguments) > 1:
        return "--failed goes alone: it repeats what failed as it was run"
    if "--full" in arguments and "--quick" in arguments:
        return "--full and --quick exclude each other"
    # Each kind of tests has another language of patterns; a plain word means the same in all of them.
    return next((f"a name is made of letters, digits, _ and .: {name}" for name in names if not re.fullmatch(r"[\w.]+", name)), None)


def main(arguments):
    # What a shell starts in the background ignores interrupts, and so would the steps, which are ended by one.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    wrong = why_wrong(arguments)
    if wrong:
        print(f"run-tests: {wrong} (see --help)", file=sys.stderr)
        return 2
    failed = None
    if "--failed" in arguments:
        if not (RESULTS / OPTIONS).exists():
            print("run-tests: there are no results of a run yet: ./run-tests", file=sys.stderr)
            return 2
        failed = junit.failed_names(RESULTS)
        if not failed:
            print("nothing failed in the last run", file=sys.stderr)
            return 0
        arguments = (RESULTS / OPTIONS).read_text().split()  # what failed in a full run is run as in a full run
    plan = Plan(arguments, failed)
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    (RESULTS / OPTIONS).write_text(" ".join(word for word in arguments if word.startswith("-")))
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
        for step in (step for phase in plan.phases for step in phase):
            if step.name not in [name for name, _ in run.times]:
                record_failure(step, "interrupted")
        say("run-tests: interrupted; ./run-tests --failed goes on with what failed or was not run")
        return 130
    finally:
        if fetching.process.poll() is None:
            fetching.process.terminate()
            fetching.process.wait()
    return junit.summarise(RESULTS, run.times, bool(plan.names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

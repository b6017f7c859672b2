"""On a machine with more to do than CPUs: who ran and who waited for a CPU is what the kernel says, and no sample stands
for more time than it can know of."""

import json
import os
import subprocess

import pytest

import flametap
from delays import Watched

# Two busy processes for each CPU, none of them in the session of the target or of flametap.
BUSY_FOR_EACH_CPU = 2
BUSY = ["sh", "-c", "echo; while :; do :; done"]

SECONDS = 5
ON_CPU, READY = 1, 16

# Shares of the wall time. A recording follows the kernel's account but for 100 ms; the moments at which the test reads the
# account are not those at which the recording begins and ends, between which lies one turn of the busy ones at the most.
MOST_ERROR = 0.1 / SECONDS + 0.005
# A thread that is stopped for its C stack while it runs may have to wait for the rest of its turn: the sample says that it
# ran, and right after it did not.
MOST_ERROR_OF_STOPS = MOST_ERROR + 0.03

MOST_INTERVALS = 5  # that a sample stands for, its own included

# Works for some milliseconds, and sleeps as long; the first word is the share of the work in percent.
WORKS_AND_SLEEPS = """
import sys, time
share = int(sys.argv[1])
def work(until):
    while time.time() < until: sum(range(30))
print("1"); sys.stdout.flush()
while True:
    work(time.time() + 0.00005 * share)
    if share < 100: time.sleep(0.00005 * (100 - share))
"""

pytestmark = pytest.mark.alone


@pytest.fixture
def crowd():
    count = BUSY_FOR_EACH_CPU * len(os.sched_getaffinity(0))
    busy = [subprocess.Popen(BUSY, stdout=subprocess.PIPE, start_new_session=True) for _ in range(count)]
    try:
        for process in busy:
            process.stdout.readline()
        yield
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.communicate()


def shares_of(recording, thread):
    """How much of its time a thread ran, and was ready."""
    samples = [sample for sample in flametap.samples_of(recording) if sample.thread["id"] == thread]
    whole = sum(sample.weight_ns for sample in samples)
    ready = sum(sample.weight_ns for sample in samples if sample.state & READY)
    ran = sum(sample.weight_ns for sample in samples if sample.state & ON_CPU and not sample.state & READY)
    return ran / whole, ready / whole


def assert_no_sample_knows_too_much(recording):
    """Those in a row with the same stack stand together. One of a thread that slept all along may stand for all of that."""
    interval_ns = 1e9 / recording["recording"]["rate_hz"]
    for sample in flametap.samples_of(recording):
        if sample.ticks and sample.state:
            assert sample.weight_ns <= sample.ticks * MOST_INTERVALS * interval_ns + 1, sample


@pytest.mark.parametrize("work", [100, 50])
@pytest.mark.parametrize("options", [[], ["--no-interrupt"], ["--native"]], ids=["interrupted", "riding", "native"])
def test_what_ran_and_what_waited_is_what_the_kernel_says(usual_python, start, crowd, tmp_path, options, work):
    script, out = tmp_path / "works_and_sleeps.py", tmp_path / "all.json"
    script.write_text(WORKS_AND_SLEEPS)
    target = start(usual_python, script, work)
    target.says()
    with Watched(target.pid) as watched:
        done = flametap.run("record", "-p", target.pid, "-d", SECONDS, "--mode", "wall", "-o", out, *options)
        assert done.code == flametap.DONE, done
        recording = json.loads(out.read_text())
        began_s = recording["recording"]["start_unix_ns"] / 1e9
        spent = watched.between(began_s, began_s + recording["recording"]["duration_ns"] / 1e9)
    ran, ready = shares_of(recording, target.pid)
    print(done.err)
    print("ran %.3f, the kernel says %.3f; ready %.3f, the kernel says %.3f"
          % (ran, spent.ran_s / spent.when_s, ready, spent.waited_s / spent.when_s))
    most = MOST_ERROR_OF_STOPS if recording["recording"]["native"] else MOST_ERROR
    assert abs(ran - spent.ran_s / spent.when_s) <= most
    assert abs(ready - spent.waited_s / spent.when_s) <= most
    assert_no_sample_knows_too_much(recording)


def test_the_summary_warns_of_the_queue(usual_python, start, crowd, tmp_path):
    script = tmp_path / "works_and_sleeps.py"
    script.write_text(WORKS_AND_SLEEPS)
    target = start(usual_python, script, 100)
    target.says()
    done = flametap.run("record", "-p", target.pid, "-d", 1, "-o", tmp_path / "all.json")
    assert done.code == flametap.DONE, done
    assert "warning: threads that could run waited for a CPU in " in done.err, done

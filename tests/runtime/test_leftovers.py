"""What a test leaves running is found and ended, and is a failure of that test."""

import json
import subprocess
import sys
from pathlib import Path

import leftovers
from target import wait_until

# The shell ends and leaves its child behind.
LEAVES = """
import json, subprocess, sys
sys.path.insert(0, sys.argv[1])
import leftovers
leftovers.begin("a test")
child = int(subprocess.check_output(["sh", "-c", "sleep 1000 >/dev/null & echo $!"]))
print(json.dumps([child, leftovers.end(0)]))
"""


def what_is_left():
    said = subprocess.run([sys.executable, "-c", LEAVES, Path(leftovers.__file__).parent], check=True, stdout=subprocess.PIPE)
    child, commands = json.loads(said.stdout)
    # The child may not have executed its program yet.
    assert len(commands) == 1 and commands[0].endswith("sleep 1000 ")
    return child


def has_ended(pid):
    try:
        return "State:\tZ" in Path("/proc/%d/status" % pid).read_text()
    except OSError:
        return True


def test_what_is_left_running_is_ended_and_named():
    child = what_is_left()
    wait_until(lambda: has_ended(child), "it has ended")


def test_what_others_run_is_left_alone():
    ours = subprocess.Popen(["sleep", "1000"])
    try:
        what_is_left()
        assert ours.poll() is None
    finally:
        ours.kill()
        ours.wait()

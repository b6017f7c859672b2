"""What a test leaves running is found and ended, and is a failure of that test."""

import json
import subprocess
import sys
from pathlib import Path

import leftovers
from target import wait_until

# The shell ends and leaves its child behind. Its output ends when the child closes it, which may be before the child
# has executed its program.
LEAVES = """
import json, subprocess, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import leftovers
from target import wait_until
leftovers.begin("a test")
child = int(subprocess.check_output(["sh", "-c", "sleep 1000 >/dev/null & echo $!"]))
process = Path("/proc/%d" % child)
def sleeps():  # an exec sets the command first, then the environment
    command = (process / "cmdline").read_bytes().split(b"\\0")
    return command == [b"sleep", b"1000", b""] and (process / "environ").read_bytes()
wait_until(sleeps, "it sleeps")
print(json.dumps([child, leftovers.end(0)]))
"""


def what_is_left():
    said = subprocess.run([sys.executable, "-c", LEAVES, Path(leftovers.__file__).parent], check=True, stdout=subprocess.PIPE)
    child, commands = json.loads(said.stdout)
    assert commands == ["sleep 1000 "]
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

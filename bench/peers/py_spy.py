"""py-spy: reads the target's memory while it is stopped, or, with --nonblocking, while it runs."""
import re

from peers import folded
from peers.peer import MAX, Peer, Recording

FASTEST = "100000"


class PySpy(Peer):
    name = "py-spy"
    how = "`record -f raw`, stopping the target: threads that it finds not idle, which is its default; ended by Ctrl-C"
    ends_by_interrupt = True  # a duration is a number of samples for it: if it is late, that takes many times as long
    options = ()

    def __init__(self, kit):
        self.program = kit.from_pypi("py-spy")
        self.version = kit.version_of(self.program)

    def record(self, job):
        return [self.program, "record", *self.options, "-f", "raw", "--full-filenames", "-o", str(job.output),
                "-r", FASTEST if job.rate == MAX else job.rate, *(["--subprocesses"] if job.children else [])]

    def dump(self, pid):
        return [self.program, "dump", "-p", str(pid), *self.options]

    def attach(self, job):
        return [*self.record(job), "-p", str(job.pid)], None

    def launch(self, job):
        return [*self.record(job), "--", *job.command], job.environment

    def read(self, job, out, err):
        stacks = folded.read(job.output.read_text(), folded.frame_in_parentheses)
        counted = re.search(r"Samples: (\d+) Errors: (\d+)", out + err)
        behind = re.findall(r"(\d+\.\d+)s behind in sampling", out + err)
        lost = {"errors": int(counted[2])} if counted and int(counted[2]) else {}
        said = {"behind_s": float(behind[-1])} if behind else {}
        return Recording(stacks, sum(count for _, count in stacks), lost, said)


class PySpyNonblocking(PySpy):
    name = "py-spy --nonblocking"
    how = "the same while the target runs on"
    options = ("--nonblocking",)

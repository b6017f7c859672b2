"""Austin: reads the target's memory while it runs."""
import re

from peers import mojo
from peers.peer import MAX, Peer, Recording, whole_seconds

FASTEST_US = 1


class Austin(Peer):
    name = "austin"
    how = "`--cpu`: threads that run; a stack weighs as much as the microseconds that it is given"

    def __init__(self, kit):
        self.program = kit.with_newest_libc(kit.from_pypi("austin-dist", "austin"))
        self.version = kit.version_of(*self.program)

    def sample(self, job):
        interval = FASTEST_US if job.rate == MAX else round(1e6 / int(job.rate))
        return [*self.program, "--cpu", "-i", str(interval), "-o", str(job.output), *(["-C"] if job.children else [])]

    def dump(self, pid):
        return [*self.program, "-w", str(pid)]

    def attach(self, job):
        return [*self.sample(job), "-x", whole_seconds(job), "-p", str(job.pid)], None

    def launch(self, job):
        return [*self.sample(job), *job.command], job.environment

    def read(self, job, _out, _err):
        return recording(job.output.read_bytes())


def recording(data):
    read = mojo.Mojo(data)
    lost = {"errors": fraction(read, "errors"), "invalid": 0}
    stacks = []
    for stack, (count, microseconds) in read.samples.items():
        if any(frame.function == mojo.INVALID for frame in stack):
            lost["invalid"] += count
        else:
            stacks.append((stack, microseconds))
    total = sum(microseconds for _, microseconds in stacks)
    return Recording(stacks, sum(count for count, _ in read.samples.values()),
                     lost={name: count for name, count in lost.items() if count},
                     said={"late": fraction(read, "saturation")},
                     equal_samples=round(total ** 2 / read.squares) if read.squares else 0)


def fraction(read, name):
    """The first number of "3/903"."""
    found = re.match(r"(\d+)/", read.metadata.get(name, ""))
    return int(found[1]) if found else 0

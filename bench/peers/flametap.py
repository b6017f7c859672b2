"""flametap itself, as it was built here."""
import json
import os
from pathlib import Path

from peers import folded
from peers.peer import Peer, Recording, Unavailable

ROOT = Path(__file__).resolve().parents[2]
MARKERS = ("(torn)", "(unreadable)", "(no Python frames)")
LOSSES = ("torn", "unreadable", "truncated")


class Flametap(Peer):
    name = "flametap"
    how = "`record -f folded`: threads that run or hold the GIL, which is its default"
    is_ours = True
    pins_itself = True
    options = ()

    def __init__(self, kit):
        self.program = os.environ.get("FLAMETAP", str(ROOT / "build/flametap"))
        if not Path(self.program).exists():
            raise Unavailable(f"{os.path.relpath(self.program)} is not built: see CONTRIBUTING.md, or set FLAMETAP")
        self.version = kit.version_of(self.program)

    def record(self, job):
        return [self.program, "record", *self.options, "-r", job.rate, "-f", "folded", "-o", str(job.output),
                "--stats", f"{job.output}.stats", *(["--children"] if job.children else [])]

    def dump(self, pid):
        return [self.program, "dump", "-p", str(pid)]

    def attach(self, job):
        home = [] if job.cpu is None else ["--cpu", str(job.cpu)]
        return [*self.record(job), *home, "-p", str(job.pid), "-d", str(job.seconds)], None

    def launch(self, job):
        return [*self.record(job), "--", *job.command], job.environment

    def read(self, job, _out, _err):
        stats = json.loads(Path(f"{job.output}.stats").read_text())
        stacks, marked = folded.take_out(folded.read(job.output.read_text(), folded.frame_in_parentheses), MARKERS)
        lost = {name: stats[name] for name in LOSSES if stats[name]}
        # The counts are of time: a sample that came late has those of the ticks that were missed before it, too.
        shown = sum(count for _, count in stacks)
        samples = round(stats["samples"] * shown / max(1, shown + sum(marked.values())))
        return Recording(stacks, samples, lost, {
            "seconds": stats["duration_s"], "missed": stats["missed_ticks"], "steps": stats["steps"],
            "no_frames": stats["no_frames"], "median_sample_ns": stats["median_sample_ns"]})


class FlametapNoPause(Flametap):
    name = "flametap --no-pause"
    how = "never stops a thread with ptrace"
    options = ("--no-pause",)

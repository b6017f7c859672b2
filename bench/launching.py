"""Targets that a profiler starts, and that end by themselves: short processes, imports at start-up."""
import json
import shutil
import struct
import tempfile
from pathlib import Path

import measure
import truth
from peers.peer import Job, Unavailable
from target import HERE


def run_row(runner, row, interpreter, variant, turns):
    """All turns of one profiler, each beside one without a profiler."""
    for _ in range(turns):
        if row["failed"]:
            return
        folder = Path(tempfile.mkdtemp(dir=runner.folder))
        try:
            alone = run_plain(interpreter, variant, folder)
            figures = run_profiled(runner.peer_of(row), row, interpreter, variant, folder)
            row["turns"].append(beside(alone, figures))
            runner.say(f"    {row['profiler']:22} {row['rate']:>6}: {figures['elapsed_s']:.2f} s instead of "
                       f"{alone['elapsed_s']:.2f} s, {figures['samples']} samples")
        except (Unavailable, OSError) as failure:
            row["failed"] = str(failure)
            runner.say(f"    {row['profiler']:22} {row['rate']:>6}: {failure}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def beside(alone, figures):
    """The figures, with the speed of the whole command, and the CPU time beyond that of the target alone."""
    alone["speed"] = 1 / alone["elapsed_s"]
    figures.update(alone=alone, speed=1 / figures["elapsed_s"])
    if "own_cpu_s" in figures:
        figures["own_cpu_s"] = max(0.0, figures["own_cpu_s"] - alone["cpu_s"])
        figures["own_cpu"] = figures["own_cpu_s"] / figures["elapsed_s"]
    return figures


def words_of(interpreter, variant, folder):
    return (*interpreter.command, str(HERE / "targets" / variant.file), str(folder / "truth"), *variant.options,
            "--description", str(folder / "description"))


def run_plain(interpreter, variant, folder):
    ran = measure.run_profiler(words_of(interpreter, variant, folder), interpreter.environment(), folder)
    if ran.code:
        raise Unavailable(f"the target failed: {measure.last_words(ran)}")
    return {"elapsed_s": ran.ended - ran.started, "cpu_s": ran.usage.ru_utime + ran.usage.ru_stime}


def run_profiled(peer, row, interpreter, variant, folder):
    output = folder / "output" / "profile"
    output.parent.mkdir()
    job = Job(row["rate"], 0, output, command=words_of(interpreter, variant, folder),
              environment=interpreter.environment(), children=variant.name == "processes")
    command, environment = peer.launch(job)
    (folder / "description").unlink(missing_ok=True)
    ran = measure.run_profiler(command, environment, output.parent)
    recording = measure.read_recording(peer, job, ran)
    if not (folder / "description").exists():
        raise Unavailable(measure.last_words(ran) or "the target did not run")
    description = truth.Description(json.loads((folder / "description").read_text()), [variant.file])
    cells = read_cells(folder / "truth")
    spent_s = sum(description.label_times(cells).values()) / 1e9
    weights, without = truth.count_labels(recording.stacks, description.label_of)
    return {**measure.used_by(ran, peer), **measure.judged(peer, description, recording), "seconds": spent_s,
            "output_bytes": measure.size_of(output), "labels": weights,
            "without_label": without / max(1e-9, without + sum(weights.values())),
            "truth": truth.shares(description.label_times(cells)), "edge": 0.0, "startup_s": None}


def read_cells(file):
    data = file.read_bytes()
    return struct.unpack(f"<{len(data) // 8}q", data)

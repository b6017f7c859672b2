"""What a target says about itself, and how far a recording of it is from that: labels, possible stacks, noise.

A stack is a tuple of Frames, root first. The truth are the cells of the target: nanoseconds by label.
"""
import math
import os
import re
from typing import NamedTuple

TRUNCATED = "(truncated)"  # stands at the root of a stack that its profiler declares to be cut off


class Frame(NamedTuple):
    function: str
    file: str = ""
    line: int = 0  # 0: the profiler does not say


def plain_name(function):
    """The name as code objects have it. Profilers write "Class.method" or "method", and "f" or "f()"."""
    name = function[:-2] if function.endswith("()") else function
    return name.rpartition(".")[2] or name


class Description:
    """The line of JSON that a target prints; the contract is in bench/targets/README.md."""

    def __init__(self, said, files):
        self.said = said
        self.files = {os.path.basename(file) for file in files}
        self.labels = said["labels"]
        self.cells = said.get("cells") or {label: [1 + index] for index, label in enumerate(self.labels)}
        self.wall_cells = said.get("wall_cells") or {}  # only of targets that never wait
        self.line_labels = said.get("line_labels") or {}
        self.tolerance_s = said.get("tolerance_s", 0.001)
        self.threads = said.get("threads", 1)
        self.possible = re.compile(said["possible"])
        self.call_lines = {name: set(lines) for name, lines in (said.get("lines") or {}).items()}

    def cell_count(self):
        labels = [cell for cells in (*self.cells.values(), *self.wall_cells.values()) for cell in cells]
        return 1 + max(labels + list(self.line_labels.values()))

    def own_frames(self, stack):
        return [Frame(plain_name(frame.function), frame.file, frame.line) for frame in stack
                if os.path.basename(frame.file) in self.files]

    def why_impossible(self, stack):
        """The reason why the target cannot have this stack, or None."""
        if any(frame.function == TRUNCATED for frame in stack):
            return None
        own = self.own_frames(stack)
        if not own and self.threads > 1:
            return None  # a thread that is inside of the library
        if not self.possible.fullmatch(";".join(frame.function for frame in own)):
            return "no such stack"
        for frame in own[:-1]:
            if frame.line and frame.function in self.call_lines and frame.line not in self.call_lines[frame.function]:
                return f"{frame.function} calls nothing on line {frame.line}"
        return None

    def label_of(self, stack):
        own = self.own_frames(stack)
        if self.said.get("label_of") == "self":
            return own[-1].function if own and own[-1].function in self.cells else None
        return next((frame.function for frame in reversed(own) if frame.function in self.cells), None)

    def line_label_of(self, stack):
        own = self.own_frames(stack)
        cell = self.line_labels.get(f"{own[-1].function}:{own[-1].line}") if own else None
        return None if cell is None else str(cell)

    def label_times(self, cells, wall=False):
        """CPU time by label; or, where it is known, wall time: with waiting for a CPU where it happened."""
        by_label = self.wall_cells if wall and self.wall_cells else self.cells
        return {label: sum(cells[cell] for cell in which) for label, which in by_label.items()}

    def line_times(self, cells):
        """By cell: several lines may share one."""
        return {str(cell): cells[cell] for cell in self.line_labels.values()}


def shares(amounts):
    total = sum(amounts.values())
    return {name: amount / total for name, amount in amounts.items()} if total > 0 else {}


def distance(one, other):
    """Total variation: half of the sum of the absolute differences."""
    return sum(abs(one.get(name, 0) - other.get(name, 0)) for name in {*one, *other}) / 2


def expected_noise(true_shares, samples):
    """The expected distance of `samples` samples at random times from the truth.

    The times are independent of what the target does, so by what it really did each sample has label i with chance p_i
    and the counts are multinomial, however long the target stays with a label: the truth is that of the same interval.
    The mean of |count/n - p| is sqrt(2 p (1 - p) / (pi n)). One sample per interval at a random time within it does
    better where the target stays with a label for longer than an interval; that is then seen as a ratio below 1.
    """
    if samples <= 0:
        return 0.0
    return sum(math.sqrt(2 * p * max(0, 1 - p) / (math.pi * samples)) for p in true_shares.values()) / 2


def count_labels(stacks, label_of):
    """Samples by label, and how many have none. Stacks are pairs of a stack and its count."""
    counts, without = {}, 0
    for stack, count in stacks:
        label = label_of(stack)
        if label is None:
            without += count
        else:
            counts[label] = counts.get(label, 0) + count
    return counts, without


def judge_stacks(description, stacks, examples=5):
    """How many samples are impossible, by reason, with the most frequent ones as examples."""
    found = []
    for stack, count in stacks:
        reason = description.why_impossible(stack)
        if reason:
            own = ";".join(f"{frame.function}:{frame.line}" for frame in description.own_frames(stack))
            found.append({"count": count, "reason": reason, "stack": own[-300:]})
    found.sort(key=lambda each: -each["count"])
    return {"count": sum(each["count"] for each in found), "examples": found[:examples]}

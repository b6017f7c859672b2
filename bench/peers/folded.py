"""Folded stacks, in the dialects of those who write them: one stack per line, root first, its count at the end."""
import collections
import re

from truth import TRUNCATED, Frame

NAMED = re.compile(r"^(?P<function>.*?) \((?P<file>.*?)(:(?P<line>\d+))?\)$", re.DOTALL)


def frame_in_parentheses(text):
    """function (file:line): flametap and py-spy. What is only in parentheses is a marker."""
    found = NAMED.match(text)
    return Frame(found["function"], found["file"], int(found["line"] or 0)) if found else Frame(text)


def frame_with_colons(text):
    """file:function:line: Tachyon."""
    words = text.rsplit(":", 2)
    if len(words) < 3 or not words[2].isdigit():
        return Frame(text)
    return Frame(words[1], words[0], int(words[2]))


def split_lines(text):
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        if stack and count.isdigit():
            yield stack.split(";"), int(count)


def read(text, frame_of):
    """Pairs of a stack and its count."""
    counts = collections.Counter()
    known = {}
    for words, count in split_lines(text):
        frames = []
        for word in words:
            if word not in known:
                known[word] = frame_of(word)
            frames.append(known[word])
        counts[tuple(frames)] += count
    return list(counts.items())


def take_out(stacks, markers):
    """The stacks without those that are only a marker, and the counts of these by marker."""
    lost = collections.Counter()
    kept = []
    for stack, count in stacks:
        if len(stack) == 1 and stack[0].function in markers:
            lost[stack[0].function.strip("()")] += count
        else:
            kept.append((stack, count))
    return kept, dict(lost)


__all__ = ["frame_in_parentheses", "frame_with_colons", "read", "take_out", "TRUNCATED"]

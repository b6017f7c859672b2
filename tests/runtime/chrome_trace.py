"""Reads what the formats of Chrome say, by their own rules: an independent check of what flametap writes."""

import collections
import json


def slices(text):
    """{(pid, tid): [(start ns, end ns, names from the root on)]} of a trace, whose events must be ordered and nest."""
    trace = json.loads(text)
    last = 0
    tracks, opened, named = collections.defaultdict(list), collections.defaultdict(list), set()
    for event in trace["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "M":
            named.add((event["name"], event["pid"]) if event["name"] == "process_name" else track)
            assert isinstance(event["args"]["name"], str)
            continue
        assert event["ph"] == "X", event
        start = round(event["ts"] * 1000)
        end = start + round(event["dur"] * 1000)
        assert last <= start < end, "events are in the order of time and take some: %s" % event
        last = start
        stack = opened[track]
        while stack and stack[-1][1] <= start:
            stack.pop()
        assert not stack or end <= stack[-1][1], "%s goes on when its caller has ended" % event["name"]
        stack.append((event["name"], end))
        tracks[track].append((start, end, tuple(name for name, _ in stack)))
    for pid, tid in tracks:
        assert (pid, tid) in named and ("process_name", pid) in named, "a track has a name"
    return tracks


def self_times(text):
    """{names from the root on: nanoseconds} of a trace."""
    times = collections.Counter()
    for spans in slices(text).values():
        for start, end, names in spans:
            times[names] += end - start
            if len(names) > 1:
                times[names[:-1]] -= end - start
    return +times


class CpuProfile:
    """A CPU profile as DevTools reads it: a sample lasts until the next one begins."""

    def __init__(self, text):
        profile = json.loads(text)
        nodes = {node["id"]: node for node in profile["nodes"]}
        assert len(nodes) == len(profile["nodes"])
        parents = {child: node["id"] for node in nodes.values() for child in node["children"]}
        assert set(nodes) - set(parents) == {profile["nodes"][0]["id"]}, "there is one root"
        deltas, samples = profile["timeDeltas"], profile["samples"]
        assert len(deltas) == len(samples) and all(delta >= 0 for delta in deltas)
        self.duration_us = profile["endTime"] - profile["startTime"]
        assert sum(deltas) == self.duration_us, "the deltas add up to the duration"
        self.self_us = collections.Counter()
        for node, length in zip(samples, deltas[1:] + [0]):
            names = []
            while node in parents:
                names.insert(0, nodes[node]["callFrame"]["functionName"])
                node = parents[node]
            self.self_us[tuple(names)] += length
        self.hits = sum(node["hitCount"] for node in nodes.values())
        for node in nodes.values():
            assert sum(line["ticks"] for line in node.get("positionTicks", [])) <= node["hitCount"]

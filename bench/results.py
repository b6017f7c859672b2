"""What the turns of a row come to: medians, intervals, and distances from the truth over all turns together."""
import json
import math
import random
import statistics

import truth

CALM = 0.03  # of the wall time a target may wait for a CPU when it is alone
ENOUGH = 200  # samples, for a ratio of distance to noise
LISTS = ("rows", "startups", "not_measured", "seconds")  # of results, which several runs add to
TABLES = ("profilers", "missing", "interpreters", "targets")


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def interval_of_median(values, tries=2000, seed=1):
    """95 % of the medians of as many values drawn from these (bootstrap). Of few values it is about their range."""
    if len(values) < 2:
        return None
    chance = random.Random(seed)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(tries))
    return medians[round(0.025 * (tries - 1))], medians[round(0.975 * (tries - 1))]


def pooled(turns, counted, true):
    """Shares of all turns together, by their word and by the truth. A turn counts as much as it has samples."""
    total = sum(turn["equal_samples"] for turn in turns)
    sampled, expected = {}, {}
    for turn in turns:
        part = turn["equal_samples"] / total if total else 0
        for shares, into in ((truth.shares(turn[counted]), sampled), (turn[true], expected)):
            for name, share in shares.items():
                into[name] = into.get(name, 0) + part * share
    return sampled, expected


def distance_from_truth(turns, counted="labels", true="truth"):
    """The distance of the shares from the truth, what would be noise, and their ratio."""
    turns = [turn for turn in turns if turn.get(counted) and turn.get(true)]
    if not turns:
        return {}
    sampled, expected = pooled(turns, counted, true)
    samples = sum(turn["equal_samples"] * (1 - turn["without_label"]) for turn in turns)
    # Edges of intervals differ from turn to turn at random: together they matter less.
    edge = math.sqrt(sum(turn["edge"] ** 2 for turn in turns)) / len(turns)
    of_samples = truth.expected_noise(expected, samples)
    noise = math.hypot(of_samples, edge)
    distance = truth.distance(sampled, expected)
    return {"distance": distance, "noise": noise, "ratio": distance / noise if noise and samples >= ENOUGH else None,
            "sampled": sampled, "true": expected, "noise_of_samples": of_samples}


def undisturbed(turns):
    """The turns during which the machine was calm, by their neighbours without a profiler; all, if it never was."""
    return [turn for turn in turns if turn["alone"].get("waiting", 0) <= CALM] or turns


def summary(row):
    """The figures of a row as they stand in the tables."""
    turns = undisturbed(row["turns"])
    speeds = [turn["speed"] / turn["alone"]["speed"] for turn in turns]
    rates = [turn["samples"] / turn["seconds"] for turn in turns if turn["seconds"]]
    figures = {
        "speed": median(speeds), "speed_interval": interval_of_median(speeds),
        "stood_still": median([stood_still(turn) for turn in turns]),
        "waiting": median([turn["waiting"] - turn["alone"]["waiting"] for turn in turns if "waiting" in turn]),
        "samples_per_s": median(rates), "got": median(rates) / float(row["rate"]) if row["rate"].isdigit() else None,
        "lost": add_up(turn["lost"] for turn in turns), "samples": sum(turn["samples"] for turn in turns),
        "startup_s": median([turn["startup_s"] for turn in turns]),
    }
    for name in ("own_cpu", "memory_mb", "output_bytes"):
        figures[name] = median([turn.get(name) for turn in turns])
    if any("impossible" in turn for turn in turns):
        figures["impossible"] = impossible_share(turns)
        figures["impossible_samples"] = sum(impossible_samples(turn) for turn in turns)
    figures.update(distance_from_truth(turns))
    if row["rate"] == "all":
        figures["ratio"] = None  # who sees every call has no noise
    lines = distance_from_truth(turns, "lines", "line_truth")
    figures.update({"line_" + name: lines[name] for name in ("distance", "noise", "ratio") if name in lines})
    figures["held"], figures["missed"] = held(turns), sum(turn["said"].get("missed", 0) for turn in turns)
    return figures


def stood_still(turn):
    """The share of the wall time in which it did not run beyond that of when it is alone."""
    return turn["alone"]["running"] - turn["running"] if "running" in turn else None


def disturbance(rows):
    """How many turns there are, during how many of them the machine was not calm, and how many of those had to count."""
    turns = [turn for row in rows for turn in row["turns"]]
    counted = [turn for row in rows for turn in undisturbed(row["turns"])]
    restless = lambda each: sum(turn["alone"].get("waiting", 0) > CALM for turn in each)
    return len(turns), restless(turns), restless(counted)


def impossible_share(turns):
    """Of all samples of all turns."""
    samples = sum(turn["samples"] for turn in turns)
    return sum(turn["impossible"]["share"] * turn["samples"] for turn in turns) / samples if samples else 0.0


def impossible_samples(turn):
    """How many they are is told by their weight; but any weight at all is at least one sample."""
    found = turn["impossible"]
    return max(1, round(found["share"] * turn["samples"])) if found["count"] else 0


def add_up(counts):
    total = {}
    for each in counts:
        for name, count in each.items():
            total[name] = total.get(name, 0) + count
    return total


def lost_share(figures):
    """What it lost by its own word, of all that it tried."""
    lost = sum(figures["lost"].values())
    return lost / (lost + figures["samples"]) if lost else 0.0


def held(turns):
    """flametap: the share of samples for which the target's thread was kept from running."""
    steps = add_up(turn["said"].get("steps", {}) for turn in turns)
    return 1 - steps["free_running"] / max(1, sum(steps.values())) if steps else None


def read(path):
    """What an earlier run wrote. Anything else ends with a word about it."""
    try:
        part = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SystemExit(f"bench/run: {path} has no results: {error}")
    if not isinstance(part, dict) or not {"machine", "seconds", *LISTS, *TABLES} <= part.keys():
        raise SystemExit(f"bench/run: {path} has no results of bench/run")
    if not isinstance(part["seconds"], list):
        raise SystemExit(f"bench/run: {path} was written by an older bench/run; measure anew")
    return part


def merge(parts):
    """The results of several runs as if they were of one. What the first says of the machine holds for all."""
    if len({part.get("everywhere", False) for part in parts}) > 1:
        raise SystemExit("bench/run: results of --everywhere and of other runs are different reports")
    whole = dict(parts[0], **{name: [] for name in LISTS})
    for part in parts:
        for name in LISTS:
            whole[name] = whole[name] + part[name]
        for name in TABLES:
            whole[name] = {**part[name], **whole[name]}
    by_name = {(each["profiler"], each["python"]): each for each in reversed(whole["startups"])}
    whole["startups"] = list(by_name.values())[::-1]
    return whole

"""What flametap set out to reach beside other profilers, held against what was measured."""
import random

import truth
from report import NO_VALUE, OURS, percent, table

MOST_NOISE = 1.5
RATES = ("1000", "10000")
MOST_STILL = {"1000": 0.01, "10000": 0.05}
LEAST_SPEED, LEAST_SPEED_OF_TINY_CALLS = 0.99, 0.95
RIGHT = 0.001  # impossible stacks, of all samples, that a profiler which is right may have
LISTED = 6

# They wait for each other, or are several processes: their speed and how long they stand still are not ours alone.
SEVERAL_THREADS = ("threads-8", "threads-200", "gil", "processes", "imports")
TINY_CALLS = ("calls-100ns", "calls-300ns", "deep-20-tiny", "deep-200-tiny", "deep-2000-tiny", "generators")
# Whose highest rate ours is compared with, on which interpreter, and how many times as high it is to be.
RIVALS = (("austin", "3.13", 2), ("tachyon", "3.15", 3), ("py-spy", "3.8", 1), ("austin", "3.8", 1))


def goals(results):
    """A table: what was to be reached, what was measured, and whether that is enough."""
    ours = results.find(profiler=OURS)
    rows = [impossible_stacks(ours)]
    for rate in RATES:
        asked = [row for row in ours if row["rate"] == rate]
        rows.append(true_shares(asked, rate))
        rows.append(compared(f"one thread: stands still for at most {100 * MOST_STILL[rate]:.0f} %, {per_second(rate)}",
                             of_one_thread(asked), "stood_still", lambda row: row["stood_still"] <= MOST_STILL[rate],
                             lambda row: percent(row["stood_still"])))
    usual = of_one_thread(row for row in ours if row["rate"] == "1000")
    rows.append(compared(f"its speed is 1 within its interval, with several calls per microsecond "
                         f"{LEAST_SPEED_OF_TINY_CALLS:.2f}, 1,000 samples/s", usual, "speed_interval", keeps_its_speed,
                         lambda row: f"{row['speed']:.2f}"))
    rows += highest_rates(results)
    rows += own_cpu(results)
    return table(("goal", "measured", "reached"), rows)


def of_truth(results):
    """The same of what is true alone, whatever it costs."""
    ours = results.find(profiler=OURS)
    shares = [true_shares([row for row in ours if row["rate"] == rate], rate) for rate in RATES]
    return table(("goal", "measured", "reached"), [impossible_stacks(ours), *shares])


def per_second(rate):
    return f"{int(rate):,} samples/s"


def true_shares(asked, rate):
    return compared(f"error of shares at most {MOST_NOISE} times the noise, {per_second(rate)}", asked, "ratio",
                    lambda row: row["ratio"] <= MOST_NOISE, lambda row: f"{row['ratio']:.1f} ×",
                    f"; of samples at random moments {chance_of_a_miss(asked):.0f} would not")


def chance_of_a_miss(rows, draws=500):
    """How many of the rows would have more than that of the noise if all their errors were chance."""
    chance = random.Random(1)
    return sum(share_of_large_errors(row, chance, draws) for row in rows if row.get("ratio") is not None)


def share_of_large_errors(row, chance, draws):
    shares = row["true"]
    limit = MOST_NOISE * truth.expected_noise(shares, 1) * row["noise"] / row["noise_of_samples"]
    return sum(random_error(list(shares.values()), chance) > limit for _ in range(draws)) / draws


def random_error(shares, chance):
    """The distance of the shares of one sample, as if it were many: it falls with the root of their number."""
    errors = [share ** 0.5 * chance.gauss(0, 1) for share in shares]
    total = sum(errors)
    return sum(abs(error - share * total) for error, share in zip(errors, shares)) / 2


def of_one_thread(rows):
    return [row for row in rows if row["target"] not in SEVERAL_THREADS]


def verdict(reached):
    return "yes" if reached else "no"


def impossible_stacks(ours):
    goal = "no impossible stack, anywhere"
    samples, impossible = (sum(row[name] for row in ours) for name in ("samples", "impossible_samples"))
    if not samples:
        return goal, "not measured", NO_VALUE
    return goal, f"{impossible} of {samples:,} samples", verdict(impossible == 0)


def compared(goal, rows, figure, is_reached, shown, remark=""):
    """Whether all rows that have the figure reach the goal; those that do not are named, with a remark on them."""
    judged = [row for row in rows if row.get(figure) is not None]
    if not judged:
        return goal, "not measured", NO_VALUE
    failed = [f"{row['python']} {row['target']} {shown(row)}" for row in judged if not is_reached(row)]
    more = f" and {len(failed) - LISTED} more" if len(failed) > LISTED else ""
    besides = f", not {'; '.join(failed[:LISTED])}{more}{remark}" if failed else ""
    return goal, f"{len(judged) - len(failed)} of {len(judged)} measurements{besides}", verdict(not failed)


def keeps_its_speed(row):
    least = LEAST_SPEED_OF_TINY_CALLS if row["target"] in TINY_CALLS else LEAST_SPEED
    return row["speed_interval"][1] >= least


def highest_rates(results):
    for rival, python, times in RIVALS:
        for target in ("deep-20-us", "deep-200-us"):
            pair = [results.find(profiler=name, python=python, target=target, rate="max") for name in (OURS, rival)]
            own, other = (rows[0]["samples_per_s"] if rows else None for rows in pair)
            if not own or not other:
                continue
            yield (f"highest rate, CPython {python}, {target}: {times} times that of {rival}",
                   f"{own:,.0f} and {other:,.0f} per second: {own / other:.1f} times", verdict(own >= times * other))


def own_cpu(results, target="mixed", rate="1000"):
    for python in results.values("python"):
        rows = results.find(python=python, target=target, rate=rate)
        ours = [row["own_cpu"] for row in rows if row["profiler"] == OURS]
        right = [row for row in rows if not row["profiler"].startswith(OURS) and is_right(row)]
        if ours and right:
            best = min(right, key=lambda row: row["own_cpu"])
            yield (f"own CPU at most a third of the best that is right, CPython {python}, {target}, 1,000 samples/s",
                   f"{percent(ours[0])}, {best['profiler']} {percent(best['own_cpu'])}",
                   verdict(3 * ours[0] <= best["own_cpu"]))


def is_right(row):
    return row.get("impossible", 1) <= RIGHT and row.get("ratio") is not None and row["ratio"] <= MOST_NOISE

"""Tables in Markdown, from the results as they are in the JSON file."""
import results as figures_of

SHORT_TARGET, DEEP_TARGET, MIXED_TARGET = "deep-20-us", "deep-200-us", "mixed"
USUAL_RATE = "1000"
MAIN_PYTHONS = ("3.13", "3.15")  # the first of these that a profiler knows
OURS = "flametap"
NO_VALUE = "–"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(value, shape="{:.2f}"):
    return NO_VALUE if value is None else shape.format(value)


def percent(value, digits=1):
    if value is None:
        return NO_VALUE
    if value and value < 0.5 * 10 ** -(digits + 2):
        return f"< {10 ** -digits:.{digits}f} %"
    return f"{100 * value:.{digits}f} %"


def share(value):
    """Of something that should not be: none at all is not the same as next to none."""
    return "0" if value == 0 else percent(value, 2)


def with_interval(value, interval):
    return number(value) + (f" ({interval[0]:.2f}–{interval[1]:.2f})" if value is not None and interval else "")


def times_noise(figures, prefix=""):
    """The distance from the truth, and how many times the noise of as many samples that is."""
    distance, ratio = figures.get(prefix + "distance"), figures.get(prefix + "ratio")
    if distance is None:
        return NO_VALUE
    return percent(distance) + (f" ({ratio:.1f} ×)" if ratio is not None else "")


class Results:
    """The rows of a JSON file, with their summaries."""

    def __init__(self, data):
        self.data = data
        self.rows = [{**row, **figures_of.summary(row)} for row in data["rows"] if row["turns"]]
        self.failed = [row for row in data["rows"] if row["failed"]]

    def find(self, **wanted):
        return [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    def usual(self, **wanted):
        """The one at the usual rate, or nothing."""
        return next((row for row in self.find(**wanted) if at_usual_rate(row)), {})

    def values(self, name):
        """In the order in which they were measured."""
        return list(dict.fromkeys(row[name] for row in self.data["rows"]))

    def version(self, python):
        return self.data["interpreters"].get(python, python)


def at_usual_rate(row):
    return row["rate"] in (USUAL_RATE, "all")


def main_table(results):
    """The one table that matters: profilers at 1 kHz, each on one interpreter, flametap on all of them."""
    lines = []
    for profiler in results.values("profiler"):
        known = [python for python in MAIN_PYTHONS if results.find(profiler=profiler, python=python)]
        for python in known if profiler.startswith(OURS) else known[:1]:
            rows = {row["target"]: row for row in results.find(profiler=profiler, python=python) if at_usual_rate(row)}
            if SHORT_TARGET in rows and DEEP_TARGET in rows:
                lines.append(main_line(profiler, python, rows))
    head = ("profiler, 1,000 samples/s", "CPython", "speed of the target, 20 frames deep", "200 deep",
            "it stood still, 20 deep", "200 deep", "impossible stacks", "error of shares (times the noise)", "own CPU")
    return table(head, lines)


def main_line(profiler, python, rows):
    judged = [row for row in rows.values() if row.get("impossible") is not None]
    samples = sum(row["samples"] for row in judged)
    impossible = sum(row["impossible"] * row["samples"] for row in judged) / samples if samples else None
    both = rows[SHORT_TARGET], rows[DEEP_TARGET]
    speeds = [number(row["speed"]) for row in both]
    stops = [percent(max(0.0, row["stood_still"])) for row in both]
    own_cpu = figures_of.median([row["own_cpu"] for row in both])
    return (profiler, python, *speeds, *stops, share(impossible), times_noise(rows.get(MIXED_TARGET, {})),
            percent(own_cpu))


def matrix(results, python, cell):
    """Targets by profilers at the usual rate; `cell` makes the text of a row."""
    profilers = [name for name in results.values("profiler") if results.find(profiler=name, python=python)]
    lines = []
    for target in results.values("target"):
        rows = [results.usual(profiler=name, python=python, target=target) for name in profilers]
        cells = [cell(row) if row else NO_VALUE for row in rows]
        if set(cells) != {NO_VALUE}:
            lines.append((target, *cells))
    return table(("target", *profilers), lines) if lines else ""


MATRICES = (
    ("Error of the shares, and how many times the noise that is", times_noise),
    ("Impossible stacks, of all samples", lambda row: share(row.get("impossible"))),
    ("Lost by the profiler's own word, of all that it tried", lambda row: share(figures_of.lost_share(row))),
    ("Speed of the target (1 is that of the unprofiled one)",
     lambda row: with_interval(row["speed"], row["speed_interval"])),
    ("The target stood still, beyond what it does when it is alone",
     lambda row: NO_VALUE if row["stood_still"] is None else percent(max(0.0, row["stood_still"]), 2)),
    ("Error of the lines", lambda row: times_noise(row, "line_")),
)


def matrices(results):
    for python in results.values("python"):
        yield f"### CPython {results.version(python)}, 1,000 samples/s"
        for title, cell in MATRICES:
            text = matrix(results, python, cell)
            if text:
                yield f"{title}:\n\n{text}"


def rate_table(results):
    """All rates, where there are several."""
    lines = []
    for target in results.values("target"):
        for python in results.values("python"):
            rows = results.find(target=target, python=python)
            if len({row["rate"] for row in rows}) > 2:
                lines += [(target, python, row["profiler"], row["rate"],
                           number(row["samples_per_s"], "{:,.0f}"), with_interval(row["speed"], row["speed_interval"]),
                           percent(row["stood_still"]), percent(row["own_cpu"]), times_noise(row),
                           share(row.get("impossible")), number(row["held"], "{:.0%}"), f"{row['missed']:,}")
                          for row in rows]
    head = ("target", "CPython", "profiler", "rate", "samples/s", "speed", "stood still", "own CPU", "error of shares",
            "impossible", "held", "missed")
    return table(head, lines) if lines else ""


def samples_by_interpreter(results):
    """How many samples there are of each target on each interpreter, and how many of them are impossible."""
    pythons = results.values("python")
    lines = [(target, *(samples_of(results.find(profiler=OURS, target=target, python=python)) for python in pythons))
             for target in results.values("target")]
    return table(("samples of", *pythons), lines)


def samples_of(rows):
    samples, impossible = (sum(row[name] for row in rows) for name in ("samples", "impossible_samples"))
    return f"{samples:,}" + (f", **{impossible} impossible**" if impossible else "") if samples else NO_VALUE


def startup_table(results):
    lines = []
    for each in results.data["startups"]:
        row = results.usual(profiler=each["profiler"], python=each["python"])
        startup_s = each.get("startup_s", row.get("startup_s"))
        lines.append((each["profiler"], each["python"], number(startup_s, "{:.3f} s"),
                      number(each.get("own_cpu_s"), "{:.3f} s"), number(row.get("memory_mb"), "{:.0f} MB"),
                      number(kilobytes(row.get("output_bytes")), "{:,.0f} KB")))
    head = ("profiler", "CPython", "until the first sample", "of that, own CPU", "memory", "output")
    return table(head, lines) if lines else ""


def kilobytes(count):
    return count / 1024 if count else None


def failures(results):
    """Each reason once, with what it is about."""
    reasons = {}
    for row in results.failed:
        where = f"{row['python']} {row['target']} {row['rate']}"
        reasons.setdefault((row["profiler"], row["failed"]), []).append(where)
    lines = [(profiler, said.replace("|", "\\|"), summary_of(where)) for (profiler, said), where in reasons.items()]
    lines += [(name, reason.replace("|", "\\|"), "everywhere") for name, reason in results.data["missing"].items()]
    lines += [("all", each["reason"], f"{each['python']} {each['target']}") for each in results.data["not_measured"]]
    return table(("profiler", "its words, or the reason", "where"), lines) if lines else "None."


def summary_of(where):
    pythons = sorted({each.split()[0] for each in where})
    if len(where) > 3:
        return f"CPython {', '.join(pythons)}: {len(where)} measurements"
    return "; ".join(where)


def profilers(results):
    return table(("profiler", "version", "how it was asked"),
                 [(name, each["version"], each["how"]) for name, each in results.data["profilers"].items()])

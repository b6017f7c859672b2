"""The report as a document, and its tables between the markers of other documents."""
from pathlib import Path

import goals
import report
import results as figures_of

BEGIN, END = "<!-- %s:begin -->", "<!-- %s:end -->"
HOW = """Each turn of a profiler stands between turns without one, in the same process; the speed is that of the
target beside its neighbours'. Figures are medians over the turns, with 95 % intervals by bootstrap in parentheses
(with few turns, about their range). *Stood still*: the share of the wall time in which the target did not run, beyond
that of when it is alone. The *error of shares* is half of the sum of the absolute differences between the profile's
shares and those of the target's own clocks for the same time, all turns together; in parentheses, how many times the
error that so many samples at random times have on average: about 1 is perfect, below 1 is what a sampler with one
random moment in each interval can reach. An *impossible* stack is one that the target never has. *Lost* is what the
profiler itself says. *Held* (flametap): the share of samples for which the target's thread was kept from running, and
not read while it ran. *Missed*: ticks that passed while the profiler was late, by its own word."""


def facts(data):
    made = data["machine"]
    return (f"{made['cpu']}, {made['cpus']} CPUs, {made['memory_gb']:.0f} GB, {made['system']}, Linux {made['kernel']}"
            f"{', in a virtual machine' if made['virtual'] else ''}. {data['date']}. {turns(data)}"
            f"{', target and profiler pinned to CPUs of their own' if data['pin'] else ''}"
            f"{', beside %d processes that compute' % data['crowd'] if data.get('crowd') else ''}.")


def turns(data):
    """Results may be of several runs: then there are turns of several lengths."""
    lengths, counts = spread(data["seconds"]), spread([len(row["turns"]) for row in data["rows"] if row["turns"]])
    return f"Turns of {lengths} s, {counts} of each measurement"


def spread(values):
    least, most = min(values, default=0), max(values, default=0)
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"


def calm(data):
    turns, disturbed, counted = figures_of.disturbance(data["rows"])
    if not disturbed:
        return ""
    return (f"During {disturbed} of {turns} turns other work disturbed the machine: unprofiled, the target waited for a CPU "
            f"for more than {figures_of.CALM:.0%} of the time. {counted} of them count all the same, for want of better ones.")


def whole(data, plots=()):
    """The report. `plots` are pairs of a title and a file name beside it."""
    if data.get("everywhere"):
        return f"# flametap on every target and every interpreter\n\n{everywhere(data)}\n"
    results = report.Results(data)
    parts = ["# flametap beside other profilers", facts(data), calm(data), report.main_table(results), HOW,
             "## What was to be reached", goals.goals(results), "## Who was asked", report.profilers(results),
             "## By rate", report.rate_table(results),
             "## By target", *report.matrices(results), "## Start-up, memory, output", report.startup_table(results),
             "## What could not be measured", report.failures(results)]
    parts += [f"![{title}]({file})" for title, file in plots]
    return "\n\n".join(part for part in parts if part) + "\n"


def everywhere(data):
    """One line a target; the figures of single measurements are not worth much, each is so short."""
    results = report.Results(data)
    parts = [facts(data), goals.of_truth(results), report.samples_by_interpreter(results),
             "Not measured:\n\n" + report.failures(results)]
    return "\n\n".join(parts)


def for_readme(data):
    return report.main_table(report.Results(data))


def for_accuracy(data):
    results = report.Results(data)
    parts = [facts(data), calm(data), report.main_table(results), "### What was to be reached", goals.goals(results),
             *report.matrices(results),
             "### All rates", report.rate_table(results), "### Start-up, memory, output", report.startup_table(results),
             "### Who was asked", report.profilers(results), "### What could not be measured", report.failures(results)]
    return "\n\n".join(part for part in parts if part)


def put_between_markers(text, tables, name):
    """The text with the tables between its markers of that name; what stood there goes."""
    before, begin, rest = text.partition(BEGIN % name)
    _, end, after = rest.partition(END % name)
    if not begin or not end:
        raise ValueError(f"has no {BEGIN % name} ... {END % name}")
    return f"{before}{begin}\n{tables}\n{end}{after}"


COMPARED = (("README.md", "bench", for_readme), ("docs/accuracy.md", "bench", for_accuracy))
ALONE = (("docs/accuracy.md", "everywhere", everywhere),)


def update(root, data):
    for path, name, make in ALONE if data.get("everywhere") else COMPARED:
        file = Path(root) / path
        file.write_text(put_between_markers(file.read_text(), make(data), name))

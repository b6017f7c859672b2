"""Pictures of the results, as SVG."""
import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "font.size": 9, "svg.hashsalt": "flametap",
                            "axes.grid": True, "grid.alpha": 0.3})

from matplotlib import pyplot

import report

MARKS = "osD^v<>Pp*"
COLOURS = pyplot.get_cmap("tab10").colors


def style_of(results, profiler):
    index = results.values("profiler").index(profiler)
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKS[index % len(MARKS)], "label": profiler}


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / name, metadata={"Date": None})
    pyplot.close(figure)
    return name


def rate_series(results, target, python, value):
    """For each profiler: the rates that it really had, and a value."""
    for profiler in results.values("profiler"):
        rows = results.find(profiler=profiler, target=target, python=python)
        points = [(row["samples_per_s"], row[value]) for row in rows
                  if row["rate"] != "all" and row.get(value) is not None]
        if points:
            yield profiler, sorted(points)


def draw_speed(results, folder):
    """The speed of the target by samples per second, 20 and 200 frames deep."""
    pythons = [python for python in results.values("python")
               if any(rate_series(results, report.DEEP_TARGET, python, "speed"))]
    if not pythons:
        return None
    figure, axes = pyplot.subplots(len(pythons), 2, figsize=(9, 3.2 * len(pythons)), squeeze=False, sharey=True)
    for line, python in zip(axes, pythons):
        for panel, target in zip(line, (report.SHORT_TARGET, report.DEEP_TARGET)):
            for profiler, points in rate_series(results, target, python, "speed"):
                panel.plot(*zip(*points), **style_of(results, profiler))
            panel.set(xscale="log", ylim=(0, 1.1), title=f"{target}, CPython {results.version(python)}",
                      xlabel="samples per second", ylabel="speed of the target")
        line[0].legend(fontsize=7)
    return "Speed of the target", save(figure, folder, "speed.svg")


def draw_error(results, folder):
    """The error of shares by the noise of as many samples, a point for each target."""
    figure, panel = pyplot.subplots(figsize=(6, 4.5))
    drawn = False
    for profiler in results.values("profiler"):
        points = [(row["noise"], row["distance"]) for row in results.find(profiler=profiler)
                  if row.get("ratio") is not None]
        if points:
            panel.scatter(*zip(*points), s=18, alpha=0.8, **style_of(results, profiler))
            drawn = True
    if not drawn:
        pyplot.close(figure)
        return None
    low, high = panel.get_xlim()
    panel.plot([1e-4, 1], [1e-4, 1], color="grey", linewidth=1)
    panel.set(xscale="log", yscale="log", xlim=(max(low, 1e-4), high), xlabel="expected noise of as many samples",
              ylabel="error of shares")
    panel.legend(fontsize=7)
    return "Error of the shares, beside the noise", save(figure, folder, "error.svg")


def draw_impossible(results, folder):
    """The share of impossible stacks by target, of those who have any."""
    wrong = [row for row in results.rows if row.get("impossible")]
    targets = [name for name in results.values("target") if any(row["target"] == name for row in wrong)]
    guilty = [name for name in results.values("profiler") if any(row["profiler"] == name for row in wrong)]
    if not targets:
        return None
    figure, panel = pyplot.subplots(figsize=(9, 0.6 + 0.32 * len(targets) * max(1, len(guilty)) / 2))
    for number, profiler in enumerate(guilty):
        own = [row for row in wrong if row["profiler"] == profiler]
        shares = [100 * max([row["impossible"] for row in own if row["target"] == name], default=0) for name in targets]
        places = [place + 0.8 * number / len(guilty) for place in range(len(targets))]
        panel.barh(places, shares, height=0.8 / len(guilty), color=style_of(results, profiler)["color"], label=profiler)
    panel.set(yticks=[place + 0.4 for place in range(len(targets))], yticklabels=targets,
              xlabel="% of samples that are impossible stacks, at worst")
    panel.legend(fontsize=7)
    return "Impossible stacks", save(figure, folder, "impossible.svg")


def draw_all(data, folder):
    results = report.Results(data)
    drawn = [draw(results, folder) for draw in (draw_speed, draw_error, draw_impossible)]
    return [each for each in drawn if each]

"""bench/run without any profiler: the arithmetic of the truth, the figures, the report."""

import json
import math
import random
import struct
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.usefixtures("bench_on_path")


def description(**more):
    import truth

    said = {"labels": ["short", "long", "work"], "label_of": "any",
            "possible": "<module>;work(;short(;tiny)?|;long)?", **more}
    return truth.Description(said, ["/srv/target.py"])


def stack(*names, file="/srv/target.py"):
    import truth

    return tuple(truth.Frame(name, file, 1) for name in names)


# The truth


def test_impossible_stacks():
    about = description(lines={"work": [1]})
    assert about.why_impossible(stack("<module>", "work", "short", "tiny")) is None
    assert about.why_impossible(stack("<module>", "work") + stack("run", file="/lib/x.py") + stack("long")) is None
    assert about.why_impossible(stack("<module>", "work", "long", "tiny")) == "no such stack"
    assert about.why_impossible(stack("work", "long")) == "no such stack"
    assert about.why_impossible(stack("(truncated)", "work", "tiny")) is None
    moved = [frame._replace(line=2) for frame in stack("<module>", "work", "long")]
    assert "line 2" in about.why_impossible(moved)
    assert about.why_impossible([frame._replace(line=0) for frame in moved]) is None  # the profiler has no lines
    assert about.why_impossible(moved[:2]) is None  # the innermost may be anywhere


def test_stacks_of_sleeping_threads_are_not_judged():
    foreign = stack("wait", file="/lib/threading.py")
    assert description().why_impossible(foreign) == "no such stack"
    assert description(threads=8).why_impossible(foreign) is None


def test_labels():
    about = description()
    assert about.label_of(stack("<module>", "work", "short", "tiny")) == "short"
    assert about.label_of(stack("<module>", "work")) == "work"
    assert about.label_of(stack("<module>")) is None
    assert about.label_of(stack("Class.work")) == "work"
    assert description(label_of="self").label_of(stack("work", "tiny")) is None
    assert about.label_times((9, 10, 20, 30)) == {"short": 10, "long": 20, "work": 30}
    assert description(cells={"short": [1, 3], "long": [2]}).label_times((9, 10, 20, 30)) == {"short": 40, "long": 20}
    with_wall = description(wall_cells={"short": [4], "long": [5], "work": [6]})
    assert with_wall.cell_count() == 7
    assert with_wall.label_times((9, 10, 20, 30, 11, 21, 31), wall=True) == {"short": 11, "long": 21, "work": 31}
    assert about.label_times((9, 10, 20, 30), wall=True) == {"short": 10, "long": 20, "work": 30}


def test_lines_that_share_a_cell():
    about = description(line_labels={"long:1": 4, "long:2": 4, "short:9": 5})
    assert about.cell_count() == 6
    assert about.line_label_of(stack("<module>", "work", "long")) == "4"
    assert about.line_label_of(stack("work")) is None
    assert about.line_times((0, 1, 2, 3, 40, 50)) == {"4": 40, "5": 50}


def test_distance():
    import truth

    assert truth.distance({"a": 0.5, "b": 0.5}, {"a": 0.4, "c": 0.6}) == pytest.approx(0.6)
    assert truth.shares({"a": 1, "b": 3}) == {"a": 0.25, "b": 0.75}
    assert truth.shares({"a": 0}) == {}


def test_noise_is_that_of_random_samples():
    import truth

    shares, samples, tries = {"a": 0.5, "b": 0.3, "c": 0.2}, 400, 300
    chance = random.Random(1)
    total = 0
    for _ in range(tries):
        drawn = chance.choices(list(shares), list(shares.values()), k=samples)
        total += truth.distance({name: drawn.count(name) / samples for name in shares}, shares)
    assert truth.expected_noise(shares, samples) == pytest.approx(total / tries, rel=0.1)


def test_timeline_between_snapshots():
    from timeline import Snapshot, Timeline

    timeline = Timeline()
    for time, progress in ((10, 0), (11, 100), (13, 500)):
        timeline.add(Snapshot(time, (progress, 2 * progress), time - 10.0, 0.0))
    passed = timeline.during(10.5, 12)
    assert (passed.time, passed.cells, passed.ran_s) == (1.5, (250, 500), 1.5)
    assert timeline.during(0, 99).cells == (500, 1000)  # what is outside is not known


# The figures


def turn(speed=90.0, samples=1000, labels=None, **more):
    return {"speed": speed, "running": 0.9, "waiting": 0.06, "alone": {"speed": 100.0, "running": 1.0, "waiting": 0.01},
            "samples": samples, "equal_samples": samples, "seconds": 1.0, "lost": {"torn": 1}, "said": {"missed": 2},
            "startup_s": 0.01, "own_cpu": 0.05, "memory_mb": 10.0, "output_bytes": 2048,
            "impossible": {"share": 0.01, "count": 10, "examples": []}, "labels": labels or {"a": 600, "b": 400},
            "truth": {"a": 0.5, "b": 0.5}, "without_label": 0.0, "edge": 0.0, **more}


def row(profiler="flametap", target="mixed", rate="1000", python="3.13", **more):
    return {"python": python, "target": target, "rate": rate, "profiler": profiler, "kind": "attach", "failed": "",
            "turns": [turn(), turn(speed=80.0, labels={"a": 400, "b": 600})], **more}


def test_summary_of_turns():
    import results

    figures = results.summary(row())
    assert figures["speed"] == pytest.approx(0.85)
    assert figures["speed_interval"] == (pytest.approx(0.8), pytest.approx(0.9))
    assert figures["stood_still"] == pytest.approx(0.1)
    assert figures["waiting"] == pytest.approx(0.05)
    assert figures["samples_per_s"] == 1000 and figures["got"] == 1
    assert figures["lost"] == {"torn": 2} and results.lost_share(figures) == pytest.approx(2 / 2002)
    assert figures["impossible"] == pytest.approx(0.01) and figures["impossible_samples"] == 20
    assert figures["distance"] == pytest.approx(0)  # the turns err in opposite directions
    assert figures["noise"] == pytest.approx(math.sqrt(2 * 0.25 / (math.pi * 2000)))


def test_a_turn_counts_as_much_as_it_has_samples():
    import results

    turns = [turn(samples=3000, labels={"a": 1}), turn(samples=1000, labels={"b": 1})]
    assert results.distance_from_truth(turns)["sampled"] == {"a": 0.75, "b": 0.25}


def test_uncertain_edges_are_no_error_of_the_profiler():
    import results

    sharp, blurred = (results.distance_from_truth([turn(edge=edge)])["ratio"] for edge in (0.0, 0.1))
    assert sharp > 5 and blurred < 1.01


def test_disturbed_turns_count_only_for_want_of_better_ones():
    import results

    busy = {"speed": 100.0, "running": 0.7, "waiting": 0.3}
    mixed, hopeless = row(turns=[turn(), turn(speed=10.0, alone=busy)]), row(turns=[turn(speed=10.0, alone=busy)])
    assert results.summary(mixed)["speed"] == pytest.approx(0.9)
    assert results.summary(hopeless)["speed"] == pytest.approx(0.1)
    assert results.disturbance([mixed, hopeless]) == (3, 2, 1)


def test_few_samples_have_no_ratio():
    import results

    assert results.distance_from_truth([turn(samples=20)])["ratio"] is None


def test_results_of_several_runs_become_one():
    import documents
    import results

    one, other = example_data(), example_data()
    other.update(rows=[row(target="flat", turns=[turn()])], missing={}, interpreters={"3.15": "3.15.0"}, seconds=[0.5])
    whole = results.merge([one, other])
    assert len(whole["rows"]) == len(one["rows"]) + 1
    assert whole["interpreters"] == {"3.13": "3.13.0", "3.15": "3.15.0"} and whole["missing"] == one["missing"]
    assert len(whole["startups"]) == 1
    assert documents.turns(whole) == "Turns of 0.5 to 1 s, 1 to 2 of each measurement"


@pytest.mark.parametrize("text, reason", [(None, "No such file"), ("{", "has no results"), ("[]", "no results of bench/run"),
                                          ("{}", "no results of bench/run"),
                                          ('{"rows": [], "machine": {}}', "no results of bench/run"), ("older", "measure anew")])
def test_what_are_no_results(tmp_path, text, reason):
    import results

    path = tmp_path / "results.json"
    if text is not None:
        path.write_text(json.dumps(dict(example_data(), seconds=2)) if text == "older" else text)
    with pytest.raises(SystemExit, match=reason):
        results.read(path)


def test_results_are_read_as_they_were_written(tmp_path):
    import results

    path = tmp_path / "results.json"
    path.write_text(json.dumps(example_data()))
    assert results.read(path)["seconds"] == example_data()["seconds"]


# The report


def example_data():
    targets = ("mixed", "deep-20-us", "deep-200-us")
    rows = [row(target=target, rate=rate) for target in targets for rate in ("100", "1000", "max")]
    rows += [row("cProfile", target, "all") for target in targets]
    for each in rows[-3:]:
        for figures in each["turns"]:
            del figures["impossible"], figures["own_cpu"], figures["memory_mb"]
    rows.append(row("tachyon", turns=[], failed="profiles only its | own version"))
    machine = {"cpu": "A CPU", "cpus": 2, "memory_gb": 8.0, "system": "Debian", "kernel": "6.1", "virtual": True}
    return {"date": "2026-01-01", "seconds": [1], "pin": False, "crowd": 0, "rows": rows, "machine": machine,
            "missing": {"py-spy": "pip: no network"}, "profilers": {"flametap": {"version": "1", "how": "as ever"}},
            "interpreters": {"3.13": "3.13.0"}, "targets": {},
            "not_measured": [{"python": "3.16", "target": "mixed", "reason": "no CPython 3.16"}],
            "startups": [{"profiler": "flametap", "python": "3.13", "startup_s": 0.02, "own_cpu_s": 0.01}]}


def test_report_has_everything():
    import documents

    text = documents.whole(example_data(), [("Speed", "speed.svg")])
    assert "| flametap | 3.13 | 0.85 | 0.85 | 10.0 % | 10.0 % | 1.00 % | 0.0 % (0.0 ×) | 5.0 % |" in text
    assert "| cProfile | 3.13 | 0.85 | 0.85 | 10.0 % | 10.0 % | – | 0.0 % | – |" in text
    assert "| tachyon | profiles only its \\| own version | 3.13 mixed 1000 |" in text
    assert "| py-spy | pip: no network | everywhere |" in text
    assert "no CPython 3.16" in text and "![Speed](speed.svg)" in text and "A CPU, 2 CPUs" in text
    for line in text.splitlines():  # whole tables
        assert not line.startswith("|") or line.endswith("|")


def test_how_many_large_errors_are_chance():
    """Of two labels the error is that of one normal number: above 1.5 times its mean, 1.2 times its deviation, in 23 %."""
    import goals

    like = {"ratio": 1.0, "true": {"a": 0.5, "b": 0.5}, "noise_of_samples": 0.01}
    rows = [{**like, "noise": 0.01}] * 10 + [{"ratio": None}]
    assert goals.chance_of_a_miss(rows, draws=2000) == pytest.approx(10 * 0.231, rel=0.1)
    assert goals.chance_of_a_miss([{**like, "noise": 0.1}]) == 0  # the noise is mostly of when a profiler began and ended


def goals_of(*rows):
    """{goal: (measured, reached)}, each goal by its beginning."""
    import goals
    import report

    data = {**example_data(), "rows": list(rows)}
    lines = [line.strip("| ").split(" | ") for line in goals.goals(report.Results(data)).splitlines()[2:]]
    return {goal: (measured, reached) for goal, measured, reached in lines}


def calm_row(*about, still=0.0, speed=100.0, own_cpu=0.05, impossible=0, labels=None, seconds=1.0):
    figures = turn(speed, labels=labels or {"a": 500, "b": 500}, running=1 - still, own_cpu=own_cpu, seconds=seconds,
                   impossible={"share": impossible / 1000, "count": impossible, "examples": []})
    return row(*about, turns=[figures, figures])


def test_goals_are_held_against_what_was_measured():
    reached = goals_of(calm_row(), calm_row("flametap", "gil", still=0.5), calm_row("austin", own_cpu=0.2))
    assert reached["no impossible stack, anywhere"] == ("0 of 4,000 samples", "yes")
    assert reached["error of shares at most 1.5 times the noise, 1,000 samples/s"] == ("2 of 2 measurements", "yes")
    assert reached["error of shares at most 1.5 times the noise, 10,000 samples/s"] == ("not measured", "–")
    assert reached["one thread: stands still for at most 1 %, 1,000 samples/s"] == ("1 of 1 measurements", "yes")
    assert reached["own CPU at most a third of the best that is right, CPython 3.13, mixed, 1,000 samples/s"] == (
        "5.0 %, austin 20.0 %", "yes")


def test_goals_that_are_not_reached_say_where():
    missed = goals_of(calm_row(still=0.02, speed=90.0, impossible=1, labels={"a": 900, "b": 100}),
                      calm_row("austin", own_cpu=0.1), calm_row("py-spy", own_cpu=0.01, impossible=500),
                      calm_row("flametap", "deep-20-us", "max", seconds=0.5),
                      calm_row("austin", "deep-20-us", "max"), calm_row("austin", "deep-200-us", "max"))
    assert missed["no impossible stack, anywhere"] == ("2 of 4,000 samples", "no")
    text = " ".join(measured for measured, reached in missed.values() if reached == "no")
    assert "3.13 mixed 2.0 %" in text and "3.13 mixed 0.90" in text and "5.0 %, austin 10.0 %" in text
    assert missed["highest rate, CPython 3.13, deep-20-us: 2 times that of austin"] == (
        "2,000 and 1,000 per second: 2.0 times", "yes")
    assert not any("deep-200-us" in goal for goal in missed)


def test_tables_go_between_markers():
    import documents

    text = "before\n<!-- some:begin -->\nold\n<!-- some:end -->\nafter\n"
    once = documents.put_between_markers(text, "new", "some")
    assert once == "before\n<!-- some:begin -->\nnew\n<!-- some:end -->\nafter\n"
    assert documents.put_between_markers(once, "new", "some") == once
    with pytest.raises(ValueError):
        documents.put_between_markers(text, "new", "others")


def test_documents_have_their_markers():
    import documents

    for path, name, _ in documents.COMPARED + documents.ALONE:
        documents.put_between_markers((ROOT / path).read_text(), "", name)


def test_one_impossible_stack_is_never_rounded_away():
    import results

    light = turn(impossible={"share": 0.0001, "count": 1, "examples": []})
    assert results.summary(row(turns=[light, turn(impossible={"share": 0.0, "count": 0})]))["impossible_samples"] == 1


def test_reports_of_different_kinds_are_not_mixed():
    import results

    with pytest.raises(SystemExit, match="different reports"):
        results.merge([example_data(), {**example_data(), "everywhere": True}])


def test_everywhere_has_a_line_for_every_target():
    import documents

    rows = [calm_row(), calm_row("flametap", "gil"), calm_row("flametap", "gil", "max", impossible=1)]
    text = documents.whole({**example_data(), "everywhere": True, "rows": rows})
    assert "| samples of | 3.13 |" in text
    assert "| mixed | 2,000 |" in text and "| gil | 4,000, **2 impossible** |" in text
    assert "| no impossible stack, anywhere | 2 of 6,000 samples | no |" in text
    assert "stands still" not in text


def test_everything_measured_by_default_exists():
    import plan

    for step in plan.WHOLE + plan.QUICK + plan.EVERYWHERE:
        assert all(plan.variant(name) for name in step.targets)
    with pytest.raises(SystemExit):
        plan.variant("no such target")


def test_cells_are_read_whole(tmp_path):
    import launching

    (tmp_path / "truth").write_bytes(struct.pack("<3q", 1, 2, 3))
    assert launching.read_cells(tmp_path / "truth") == (1, 2, 3)


# The targets


class HeldUp:
    """A clock and a function that takes 10 ns a round, of which one call is held up for a millisecond."""

    def __init__(self, held_up):
        self.now = self.calls = 0
        self.held_up = held_up

    def clock(self):
        self.now += 500  # so long does a call of it take
        return self.now

    def work(self, rounds):
        self.now += 10 * rounds + (1000000 if self.calls == self.held_up else 0)
        self.calls += 1


def test_a_cost_is_measured_whatever_holds_a_call_up(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench" / "targets")
    import blocks

    for held_up in range(40):
        simulated = HeldUp(held_up)
        monkeypatch.setattr(blocks, "thread_clock", lambda: simulated.clock)
        assert 10 <= blocks.cost_of(simulated.work) < 10.1, held_up

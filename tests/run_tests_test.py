"""tools/run_tests: what it runs, and its last line and its exit code are what continuous integration believes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "run_tests"))
import junit  # noqa: E402
import steps  # noqa: E402

TOOL = Path(__file__).resolve().parent.parent / "tools" / "run_tests" / "junit.py"

CTEST = """<testsuite>
<testcase name="Maps.Good" classname="Maps.Good" status="run"><system-out>fine</system-out></testcase>
<testcase name="Maps.Bad" classname="Maps.Bad" status="fail"><failure message=""/><system-out>expected 1</system-out>
</testcase>
<testcase name="Maps.NoRight" classname="Maps.NoRight" status="notrun">
<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>maps_test.cc:7: Skipped
needs two CPUs

[  SKIPPED ] Maps.NoRight</system-out></testcase>
</testsuite>"""

PYTEST = """<testsuites><testsuite>
<testcase classname="tests.dump_test" name="test_dump[3.11]"/>
<testcase classname="tests.dump_test" name="test_core"><skipped message="no gcore">file.py:1: no gcore</skipped></testcase>
<testcase classname="tests.dump_test" name="test_broken"><error message="fixture">Traceback: boom</error></testcase>
</testsuite></testsuites>"""

GOOD = '<testsuite><testcase name="A" classname="A" status="run"/></testsuite>'


GOOGLE_TEST = """<testsuites><testsuite name="Maps">
<testcase name="Good" classname="Maps" status="run" result="completed"/>
<testcase name="NoRight" classname="Maps" status="run" result="skipped"><skipped message="maps_test.cc:7&#x0A;needs two CPUs"/>
</testcase>%s
</testsuite></testsuites>"""
GOOGLE_TEST_BAD = '<testcase name="Bad" classname="Maps"><failure message="expected 1" type=""></failure></testcase>'
PROGRAMS = '<testsuite><testcase name="maps" classname="maps" status="%s">%s</testcase><testcase name="fuzz"/></testsuite>'


def summarise(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("_in_", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    result = subprocess.run([sys.executable, str(TOOL), str(folder)], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout


def test_counts_are_summed_over_all_steps(tmp_path):
    code, text = summarise(tmp_path, unit_xml=CTEST, runtime_xml=PYTEST)
    assert text.splitlines()[-1] == "2 passed, 2 failed, 2 skipped"
    assert code == 1


def test_failures_show_their_output_and_skips_their_reason(tmp_path):
    _, text = summarise(tmp_path, unit_xml=CTEST, runtime_xml=PYTEST)
    assert "FAILED   unit: Maps.Bad\nexpected 1" in text
    assert "FAILED   runtime: tests.dump_test.test_broken\nfixture\nTraceback: boom" in text
    assert "skipped  unit: Maps.NoRight: needs two CPUs\n" in text
    assert "skipped  runtime: tests.dump_test.test_core: no gcore\n" in text


def test_the_reason_of_a_failure_comes_first(tmp_path):
    """What a long trace says at its end may be cut off where it is read."""
    failed = '<testcase classname="t" name="n"><failure message="assert 1 == 2">def n():\nE  assert 1 == 2</failure></testcase>'
    _, text = summarise(tmp_path, runtime_xml="<testsuite>%s</testsuite>" % failed)
    assert "FAILED   runtime: t.n\nassert 1 == 2\ndef n():\nE  assert 1 == 2\n" in text


def test_cases_count_in_the_place_of_their_program(tmp_path):
    code, text = summarise(tmp_path, asan_xml=PROGRAMS % ("run", ""), asan_in_maps_xml=GOOGLE_TEST % "")
    assert text == "skipped  asan: Maps.NoRight: needs two CPUs\n2 passed, 0 failed, 1 skipped\n"
    assert code == 0


def test_a_program_that_failed_counts_once(tmp_path):
    failed = PROGRAMS % ("fail", '<failure message=""/><system-out>a leak</system-out>')
    code, text = summarise(tmp_path, asan_xml=failed, asan_in_maps_xml=GOOGLE_TEST % GOOGLE_TEST_BAD)
    assert "FAILED   asan: Maps.Bad\nexpected 1" in text and text.endswith("2 passed, 1 failed, 1 skipped\n")
    assert code == 1


def test_a_program_that_failed_besides_its_cases_is_a_failure(tmp_path):
    failed = PROGRAMS % ("fail", '<failure message=""/><system-out>a leak</system-out>')
    code, text = summarise(tmp_path, asan_xml=failed, asan_in_maps_xml=GOOGLE_TEST % "")
    assert "FAILED   asan: maps\na leak" in text and text.endswith("2 passed, 1 failed, 1 skipped\n")
    assert code == 1


def test_what_names_did_not_choose_is_not_skipped(tmp_path, capsys):
    (tmp_path / "web.xml").write_text('<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>')
    assert junit.summarise(tmp_path, only_some=True) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"
    junit.summarise(tmp_path)
    assert "skipped  web: b" in capsys.readouterr().out


def test_there_is_nothing_to_repeat_before_the_first_run(tmp_path):
    done = subprocess.run([sys.executable, "-B", str(TOOL.parent / "__main__.py"), "--failed"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "./run-tests" in done.stderr and not done.stdout


def test_all_good_is_zero(tmp_path):
    assert summarise(tmp_path, unit_xml=GOOD) == (0, "1 passed, 0 failed, 0 skipped\n")


def test_nothing_ran_is_a_failure(tmp_path):
    assert summarise(tmp_path) == (1, "0 passed, 0 failed, 0 skipped\n")


def test_a_broken_step_counts_once(tmp_path):
    code, text = summarise(tmp_path, unit_xml=GOOD, build_failed="error: no such file")
    assert "error: no such file" in text
    assert (code, text.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 skipped")


def test_a_step_that_failed_by_its_tests_is_not_counted_again(tmp_path):
    _, text = summarise(tmp_path, unit_xml=CTEST, unit_failed="exit code 8")
    assert text.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"


def test_a_missing_program_is_not_a_skip(tmp_path):
    missing = '<testsuite><testcase name="A" status="notrun"><skipped message="Unable to find executable"/></testcase></testsuite>'
    code, text = summarise(tmp_path, unit_xml=missing)
    assert (code, text.splitlines()[-1]) == (1, "0 passed, 1 failed, 0 skipped")


def test_results_cut_short_are_a_failure(tmp_path):
    code, text = summarise(tmp_path, unit_xml="<testsuite><testcase", runtime_xml=GOOD)
    assert (code, text.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 skipped")


def test_the_slowest_tests_and_the_time_of_each_step_stand_before_the_counts(tmp_path, capsys):
    cases = "".join('<testcase name="t%d" classname="" time="%d"/>' % (number, number) for number in range(12))
    (tmp_path / "unit.xml").write_text("<testsuite>%s</testsuite>" % cases)
    assert junit.summarise(tmp_path, [("unit", 65.4)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["", "time per step:", "      65 s  unit", "slowest tests:"]
    assert lines[4] == "    11.0 s  unit: t11" and len(lines) == 4 + junit.SLOWEST + 1


def test_what_failed_last_time_is_run_alone(tmp_path):
    (tmp_path / "unit.xml").write_text(CTEST)
    (tmp_path / "runtime.xml").write_text(PYTEST)
    (tmp_path / "build-asan.failed").write_text("error")
    failed = junit.failed_names(tmp_path)
    assert failed == {"unit": ["Maps.Bad"], "runtime": ["tests.dump_test.test_broken"], "build-asan": []}
    plan = steps.Plan(["--failed"], failed)
    runs = {step.name: step for phase in plan.phases for step in phase}
    assert set(runs) == {"build-release", "build-asan", "unit", "runtime"}
    assert runs["unit"].env["GTEST_FILTER"] == "Maps.Bad"
    assert runs["runtime"].command[-1] == "tests/dump_test.py::test_broken"


def chosen(**failed):
    return {step.name: step for phase in steps.Plan([], failed).phases for step in phase}


def test_a_program_that_broke_runs_whole():
    """A leak, for instance, is not the failure of a case."""
    asan = chosen(asan=["target_test", "Maps.Bad", "fuzz.elf"])["asan"]
    assert "GTEST_FILTER" not in asan.env
    assert asan.command[-1] == "_test$|^target_test$|^fuzz\\.elf$"


def test_of_the_builds_only_those_that_failed_tests_need():
    assert set(chosen(runtime=["tests.runtime.test_a.test_b"])) == {"build-release", "runtime"}
    assert set(chosen(asan=[])) == {"build-asan", "asan"}


def test_a_file_that_could_not_be_collected_is_collected_again():
    assert junit.node_id("tests.run_tests_test") == "tests/run_tests_test.py"


def test_cases_count_without_the_results_of_their_step(tmp_path):
    """ctest that was ended leaves none."""
    code, text = summarise(tmp_path, asan_in_maps_xml=GOOGLE_TEST % GOOGLE_TEST_BAD, asan_failed="over its limit")
    assert "FAILED   asan: Maps.Bad\nexpected 1" in text and code == 1


@pytest.mark.parametrize("words", [["--failed", "maps"], ["--full", "--quick"], ["a-b"], ["a|b"]], ids=" ".join)
def test_words_that_mean_nothing_are_refused(words):
    done = subprocess.run([sys.executable, "-B", str(TOOL.parent), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("run-tests: ") and not done.stdout


def test_the_name_of_a_test_for_pytest():
    name = "tests.runtime.test_cost.test_a_deep_stack[pyenv-3.11.7-calls.x]"
    assert junit.node_id(name) == "tests/runtime/test_cost.py::test_a_deep_stack[pyenv-3.11.7-calls.x]"
    assert junit.node_id("tests.runtime.test_push.TestPush.test_a") == "tests/runtime/test_push.py::TestPush::test_a"


def commands(*arguments):
    return {step.name: " ".join(map(str, step.command)) for phase in steps.Plan(arguments).phases for step in phase}


def test_a_full_run_has_every_test_in_both_builds_and_every_interpreter():
    usual, full = commands(), commands("--full")
    assert set(usual) == set(full)
    assert "-DFLAMETAP_TEST_ONCE=ON" in usual["build-asan"] and "-DFLAMETAP_TEST_ONCE=OFF" in full["build-asan"]
    environment = {step.name: step.env for phase in steps.Plan(["--full"]).phases for step in phase}
    assert environment["runtime"]["FLAMETAP_FULL"] == "1"


def test_a_quick_run_has_neither_fuzzers_nor_a_browser():
    quick = commands("--quick")
    assert set(commands()) - set(quick) == {"browser"}
    assert "--label-exclude fuzz" in quick["asan"]


def test_names_choose_among_the_tests_of_every_step():
    named = commands("maps", "cost")
    assert "-k maps or cost" in named["runtime"]
    assert "--testNamePattern maps|cost" in named["web"]
    assert "_test$|maps|cost" in named["asan"]


def run_steps(folder, phases):
    """Runs steps of our own, written in Python, in the place of those that build and test."""
    (folder / "build").mkdir()
    program = folder / "steps.py"
    program.write_text("""
import sys
sys.path[:0] = [%r]
import steps
class Plan:
    def __init__(self, arguments, failed=None):
        self.names = []
        self.fetch = steps.Step("pythons", 60, ["true"])
        self.first_phase_with_pythons = 1
        self.phases = %s
steps.Plan = Plan
import runpy
sys.argv = ["run_tests"]
runpy.run_path(%r, run_name="__main__")
""" % (str(TOOL.parent), phases, str(TOOL.parent / "__main__.py")))
    return subprocess.run([sys.executable, "-B", str(program)], cwd=folder, capture_output=True, text=True, check=False)


def test_a_step_that_fails_is_counted_and_what_needs_it_is_left_out(tmp_path):
    done = run_steps(tmp_path, """[
        [steps.Step("good", 60, ["true"]), steps.Step("bad", 60, ["sh", "-c", "echo because; exit 3"])],
        [steps.Step("after", 60, ["true"], needs=("bad",)), steps.Step("late", 1, ["sleep", "60"])]]""")
    assert done.returncode == 1
    assert "FAILED   bad: the step itself\nbecause\n" in done.stdout
    assert "FAILED   late: the step itself\nover its limit of 1 s" in done.stdout
    assert "FAILED   after: the step itself\nnot run: bad failed" in done.stdout
    assert done.stdout.splitlines()[-1] == "0 passed, 3 failed, 0 skipped"
    assert "   good: done in " in done.stderr and "   bad: failed in " in done.stderr


def test_each_step_has_a_session_of_its_own(tmp_path):
    """However the tests were started, their share of the CPUs is that of a session."""
    asks = [sys.executable, "-c", "import os; print(os.getsid(0))"]
    run_steps(tmp_path, "[[steps.Step(name, 60, %r) for name in ('one', 'two')]]" % asks)
    sessions = {int((tmp_path / "build" / "test-results" / (name + ".log")).read_text()) for name in ("one", "two")}
    assert len(sessions - {os.getsid(0)}) == 2

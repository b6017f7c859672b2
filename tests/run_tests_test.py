"""tools/run_tests: what it runs, and its last line and its exit code are what continuous integration believes."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "tools" / "run_tests" / "results.py"

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

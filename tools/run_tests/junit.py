"""Sums up test results: every failing test with its output, every skipped one with its reason, the time of each step, the
slowest tests, then one line.

Of a folder it reads STEP.xml (JUnit, from ctest, pytest and vitest) and STEP.failed. STEP/TEST.xml has the cases of a test of
STEP.xml, by GoogleTest: they count in place of the entry of their program, unless it failed without any of them.

A STEP.failed file is a step that broke (its text is the reason): that counts as a failed test unless the step's own
results already show a failure. The last line is `N passed, N failed, N skipped`; the exit code is 1 if anything failed
or nothing ran.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
THE_STEP = "the step itself"
SLOWEST = 10


class Result(NamedTuple):
    step: str
    test: str
    verdict: str
    words: str = ""
    seconds: float = 0.0

    @property
    def name(self):
        return f"{self.step}: {self.test}"


class Counts:
    def __init__(self, found):
        self.by_verdict = {verdict: sum(each.verdict == verdict for each in found) for verdict in (PASSED, FAILED, SKIPPED)}
        self.total = len(found)

    def __str__(self):
        return ", ".join(f"{count} {verdict}" for verdict, count in self.by_verdict.items())


def case_result(step, case):
    def result(verdict, words=""):
        return Result(step, full_name(case), verdict, words, seconds_of(case))

    output = "\n".join(text.text or "" for tag in ("system-out", "system-err") for text in case.iter(tag))
    for tag in ("failure", "error"):
        for problem in case.iter(tag):
            return result(FAILED, "\n".join(part for part in (*reason_and_trace(problem), output.strip()) if part))
    for skip in case.iter("skipped"):
        message = skip.get("message") or ""
        if case.get("status") == "notrun" and not message.startswith("SKIP_"):
            # ctest calls a test skipped whose program is missing, too.
            return result(FAILED, f"ctest did not run it: {message}")
        return result(SKIPPED, skip_reason(message, output))
    return result(PASSED)


def seconds_of(case):
    try:
        return float(case.get("time") or 0)
    except ValueError:
        return 0.0


def reason_and_trace(problem):
    """pytest has the reason at the end of a long trace; GoogleTest gives the same text twice."""
    reason, trace = (problem.get("message") or "").strip(), (problem.text or "").strip()
    return ("" if trace.startswith(reason) else reason), trace


def full_name(case):
    """ctest gives the name twice, pytest the file as the class."""
    name, group = case.get("name", ""), case.get("classname", "")
    return name if group in ("", name) else f"{group}.{name}"


def skip_reason(message, output):
    """pytest says the reason in the message; of a GoogleTest case it is the line after `path:line: Skipped`, and in its
    own results the one after `path:line`."""
    place, _, reason = message.partition("\n")
    if reason and place.rpartition(":")[2].isdigit():
        return reason.strip()
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if line.endswith(": Skipped") and number + 1 < len(lines) and lines[number + 1].strip():
            return lines[number + 1].strip()
    return message


def step_results(path, step):
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        return [Result(step, "its results", FAILED, f"cannot be read: {error}")]
    return [case_result(step, case) for case in root.iter("testcase")]


def with_cases(step, results, folder):
    """The results of a step, with the cases of its tests in the place of those that tell of them."""
    for path in sorted(folder.glob("*.xml")):
        cases = step_results(path, step)
        explained = PASSED if not any(case.verdict == FAILED for case in cases) else FAILED
        results = [each for each in results if (each.test, each.verdict) != (path.stem, explained)] + cases
    return results


def of_step(folder, step):
    path = Path(folder) / f"{step}.xml"
    return with_cases(step, step_results(path, step) if path.exists() else [], path.with_suffix(""))


def collect(folder):
    steps = {path.stem for path in folder.glob("*.xml")} | {path.name for path in folder.iterdir() if path.is_dir()}
    results = [each for step in sorted(steps) for each in of_step(folder, step)]
    for path in sorted(folder.glob("*.failed")):
        if not any(result.verdict == FAILED and result.step == path.stem for result in results):
            results.append(Result(path.stem, THE_STEP, FAILED, path.read_text(errors="replace").strip()))
    return results


def failed_names(folder):
    """{step: the tests of it that failed in the last run}; a step that broke by itself has to run whole, it has none."""
    if not folder.is_dir():
        return {}
    failed = {}
    for result in collect(folder):
        if result.verdict == FAILED:
            failed.setdefault(result.step, []).append(result.test)
    return {step: [] if {THE_STEP, "its results"} & set(tests) else tests for step, tests in failed.items()}


def node_id(name):
    """What pytest calls a test whose name in the results is `tests.runtime.test_dump.test_all[3.11]`."""
    file = name.replace(".", "/") + ".py"
    if Path(file).exists():  # it could not be collected
        return file
    path, bracket, parameters = name.partition("[")
    words = path.split(".")
    # The last word that is in small letters, before the function, is the module; classes begin with a capital.
    module = max(number for number, word in enumerate(words[:-1]) if not word[0].isupper()) + 1
    return "/".join(words[:module]) + ".py::" + "::".join(words[module:]) + bracket + parameters


def print_times(times, results):
    print("\ntime per step:")
    for step, seconds in times:
        print(f"  {seconds:6.0f} s  {step}")
    print("slowest tests:")
    for result in sorted(results, key=lambda each: -each.seconds)[:SLOWEST]:
        print(f"  {result.seconds:6.1f} s  {result.name}")


def summarise(folder, times=(), only_some=False):
    """`only_some`: names chose them. vitest writes down the others, too, as skipped and without a reason."""
    results = [each for each in collect(Path(folder)) if not (only_some and each.verdict == SKIPPED and not each.words)]
    for result in results:
        if result.verdict == SKIPPED:
            print(f"skipped  {result.name}: {result.words}")
    for result in results:
        if result.verdict == FAILED:
            print(f"\nFAILED   {result.name}\n{result.words}")
    if times:
        print_times(times, results)
    counts = Counts(results)
    if counts.by_verdict[FAILED]:
        print("\nfailed:", *(result.name for result in results if result.verdict == FAILED), sep="\n  ")
    print(counts)
    return 1 if counts.by_verdict[FAILED] or not counts.by_verdict[PASSED] else 0


if __name__ == "__main__":
    sys.exit(summarise(sys.argv[1]))

"""What a test run consists of: its steps, as data, in phases of steps that run side by side."""

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import junit

RESULTS = os.path.abspath("build/test-results")
PYTHONS = RESULTS + "/pythons.json"  # the interpreters: starting all of them for a list takes seconds
CPUS = os.cpu_count() or 2


@dataclass
class Step:
    name: str
    limit_s: int
    command: list
    env: dict = field(default_factory=dict)
    needs: tuple = ()  # steps without which it cannot run


class Plan:
    """The phases of a run for the options of ./run-tests. `failed` are the tests to run alone, by step, or None."""

    def __init__(self, arguments, failed=None):
        self.full = "--full" in arguments
        self.quick = "--quick" in arguments
        self.names = [argument for argument in arguments if not argument.startswith("-")]
        self.failed = failed
        # What cannot be fetched is not in the list, which is made in any case.
        fetch = f'tools/pythons fetch; fetched=$?; tools/pythons list --json > "{PYTHONS}" && exit $fetched'
        self.fetch = Step("pythons", 900, ["bash", "-c", fetch])
        together = [self.ctest("unit", "build", "build-release"), self.ctest("asan", "build-asan", "build-asan"),
                    self.npm("web", "test"), self.pytest("checks", 600, sorted(map(str, Path("tests").glob("*_test.py"))))]  # fmt: skip
        if not self.quick:
            together.append(self.npm("browser", "browser"))
        phases = [[self.build("release")], [self.build("asan")], together, [self.runtime("runtime", "not alone")],
                  [self.runtime("alone", "alone")]]  # fmt: skip
        wanted = {step.name for phase in phases for step in phase if failed is None or step.name in failed}
        wanted |= {name for phase in phases for step in phase if step.name in wanted for name in step.needs}
        self.phases = [[step for step in phase if step.name in wanted] for phase in phases]
        self.first_phase_with_pythons = 2

    def chosen(self, step):
        """The tests of a step to which the run is limited; an empty list means all of them."""
        return (self.failed or {}).get(step, [])

    def build(self, preset):
        once, seconds, runs = ("OFF", 5, -1) if self.full else ("ON", 1, 10000)
        options = ["-DFLAMETAP_TESTS=ON", f"-DFLAMETAP_TEST_ONCE={once}", f"-DFLAMETAP_FUZZ_SECONDS={seconds}",
                   f"-DFLAMETAP_FUZZ_RUNS={runs}"]  # fmt: skip
        if preset == "release":
            options.append("-DFLAMETAP_BENCHMARKS=ON")
        command = f"cmake --preset {preset} {' '.join(options)} && cmake --build --preset {preset}"
        return Step("build-" + preset, 2400, ["bash", "-c", command])

    def ctest(self, step, folder, needed):
        """A program with unit tests is one test to ctest; it tells of its cases by itself, in RESULTS/STEP."""
        command = ["ctest", "--test-dir", folder, "--parallel", str(CPUS), "--no-tests=error", "--output-on-failure",
                   "--test-output-size-failed", "100000", "--output-junit", f"{RESULTS}/{step}.xml"]  # fmt: skip
        env = {"GTEST_OUTPUT": f"xml:{RESULTS}/{step}/", "FLAMETAP_FULL": str(int(self.full))}
        if self.quick:
            command += ["--label-exclude", "fuzz"]
        chosen = self.chosen(step)
        programs = [name for name in chosen if "." not in name or name.startswith("fuzz.")]
        if programs:  # which failed as a whole, not in one of their cases
            command += ["--tests-regex", "|".join(["_test$", *(f"^{re.escape(name)}$" for name in programs)])]
        elif chosen:
            env["GTEST_FILTER"] = ":".join(chosen)
            command += ["--tests-regex", "_test$"]
        elif self.names:
            env["GTEST_FILTER"] = ":".join(f"*{name}*" for name in self.names)
            command += ["--tests-regex", "|".join(["_test$", *map(re.escape, self.names)])]
        return Step(step, 1800, command, env, (needed,))

    def npm(self, step, script):
        command = ["npm", "--prefix", "web", "--silent", "run", script, "--", "--reporter=default", "--reporter=junit",
                   f"--outputFile.junit={RESULTS}/{step}.xml"]  # fmt: skip
        if self.names:  # what failed is not chosen by name: all of them take less than a minute
            command += ["--testNamePattern", "|".join(map(re.escape, self.names)), "--passWithNoTests"]
        # What npm needs is there once flametap is built.
        return Step(step, 1200, command, self.flametap(), ("build-release",))

    def pytest(self, step, limit_s, paths, options=("-n", str(CPUS)), needs=()):
        command = [sys.executable, "-m", "pytest", "--rootdir=.", "-p", "no:cacheprovider", "--continue-on-collection-errors",
                   "-v", "-o", "junit_logging=all", "-o", "junit_log_passing_tests=false",
                   f"--junit-xml={RESULTS}/{step}.xml", *options]  # fmt: skip
        if self.names:
            command += ["-k", " or ".join(self.names)]
        return Step(step, limit_s, command + ([junit.node_id(name) for name in self.chosen(step)] or paths),
                    self.flametap(), needs)  # fmt: skip

    def runtime(self, step, marker):
        """The tests of the real binary: side by side, as most of them wait most of the time, or one at a time."""
        options = ["-m", marker, *(["-n", str(2 * CPUS)] if marker != "alone" else [])]
        return self.pytest(step, 3600, ["tests/runtime"], options, ("build-release",))

    def flametap(self):
        return {"FLAMETAP": os.path.abspath("build/flametap"), "FLAMETAP_FULL": str(int(self.full)),
                "FLAMETAP_QUICK": str(int(self.quick)), "FLAMETAP_PYTHONS": PYTHONS}  # fmt: skip

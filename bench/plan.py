"""What is measured if nothing else is asked for. Everything on everything would take days."""
import sys
from typing import NamedTuple

from target import HERE

sys.path.append(str(HERE / "targets"))
sys.path.append(str(HERE.parent / "tests/runtime"))

import catalogue
import pythons

ALL_RATES = ("100", "1000", "10000", "max")


class Step(NamedTuple):
    """These targets on these interpreters at these rates."""
    pythons: tuple
    targets: tuple
    rates: tuple = ("1000",)


# 3.13 is the newest that most peers know, 3.15 the one that Tachyon and perf know.
MOST = ("3.13", "3.15")
WHOLE = (
    Step(MOST, ("deep-20-us", "deep-200-us"), ALL_RATES),
    Step(MOST, ("mixed", "calls-100ns", "calls-1us", "calls-10us", "deep-20-tiny", "deep-200-tiny", "deep-200-c", "deep-2000-us",
                "alternating-50us", "flat", "threads-8", "threads-200", "gil", "asyncio", "numpy", "periodic-1ms", "periodic-10ms",
                "lines", "realistic", "processes", "imports")),
    Step(("2.7", "3.8", "3.11"), ("mixed", "deep-20-us", "deep-200-us")),
)
QUICK = (Step(MOST, ("mixed", "deep-20-us", "deep-200-us")),)


def chosen(steps, arguments):
    """The steps as the command line narrows them. Named targets, rates and interpreters are measured in all combinations."""
    if not (arguments.pythons or arguments.targets or arguments.rates):
        return steps
    first = steps[0]
    return (Step(arguments.pythons or first.pythons, arguments.targets or first.targets, arguments.rates or ("1000",)),)


def variant(name):
    found = [each for each in catalogue.CATALOGUE if each.name == name]
    if not found:
        raise SystemExit(f"bench/run: no target {name}; there are: {' '.join(each.name for each in catalogue.CATALOGUE)}")
    return found[0]


def interpreter_for(minor, chosen_variant, interpreters):
    """The interpreter, or a reason why there is none."""
    version = tuple(int(part) for part in minor.split("."))
    if not catalogue.runs_on(chosen_variant, version):
        return None, f"runs on {chosen_variant.pythons}"
    if chosen_variant.needs:
        equipped = [each for each in pythons.equipped(chosen_variant.needs) if each.minor == version]
        return (equipped[0], "") if equipped else (None, f"no CPython {minor} with {chosen_variant.needs}: tools/pythons fetch")
    found = pythons.one_of_each(interpreters, (minor,))
    return (found[0], "") if found else (None, f"no CPython {minor}: tools/pythons fetch")


def units(steps, interpreters):
    """What is run, one after the other: (minor, interpreter or None, why not, variant, rates)."""
    for step in steps:
        for name in step.targets:
            for minor in step.pythons:
                chosen_variant = variant(name)
                interpreter, reason = interpreter_for(minor, chosen_variant, interpreters)
                yield minor, interpreter, reason, chosen_variant, step.rates

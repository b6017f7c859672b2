"""What is measured if nothing else is asked for. Everything on everything would take days."""
import sys
from typing import NamedTuple

from target import HERE

sys.path.append(str(HERE / "targets"))
sys.path.append(str(HERE.parent / "tests/runtime"))

import catalogue
import pythons


class Step(NamedTuple):
    """These targets on these interpreters at these rates, so many times."""
    pythons: tuple
    targets: tuple
    rates: tuple = ("1000",)
    turns: int = 2
    ours_alone: bool = False  # of flametap, without the others


# 3.13 is the newest that most peers know, 3.15 the one that Tachyon and perf know.
MOST = ("3.13", "3.15")
MAIN = ("mixed", "deep-20-us", "deep-200-us")
BY_RATE = ("deep-20-us", "deep-200-us")
MANY = ("calls-100ns", "calls-1us", "calls-10us", "deep-20-tiny", "deep-200-tiny", "deep-200-c", "deep-2000-us",
        "alternating-50us", "flat", "threads-8", "threads-200", "gil", "asyncio", "numpy", "periodic-1ms",
        "periodic-10ms", "lines", "realistic", "generators", "processes", "imports")
ALL = tuple(each.name for each in catalogue.CATALOGUE)


def all_but(*names):
    return tuple(name for name in ALL if name not in names)


WHOLE = (
    Step(MOST, MAIN, turns=5),
    Step(MOST, BY_RATE, ("100", "10000", "max"), turns=3),
    Step(MOST, MANY),
    Step(("2.7", "3.8", "3.11"), MAIN),
    Step(("3.8",), BY_RATE, ("max",)),
    # What is promised of every target, at both rates, and on an interpreter whose frames are objects.
    Step(("3.13",), all_but(*MAIN, *MANY), turns=4, ours_alone=True),
    Step(("3.13",), all_but(*BY_RATE), ("10000",), turns=3, ours_alone=True),
    Step(("3.8",), all_but(*MAIN), turns=4, ours_alone=True),
)
QUICK = (Step(MOST, MAIN, turns=1),)
# Of flametap alone: is there a wrong stack anywhere?
EVERYWHERE = (Step(("2.7", *pythons.MINORS), ALL, ("100", "1000", "10000", "max"), turns=1),)


def chosen(arguments):
    """The steps as the command line narrows them. What it names is measured in all combinations."""
    steps = EVERYWHERE if arguments.everywhere else QUICK if arguments.quick else WHOLE
    if arguments.pythons or arguments.targets or arguments.rates:
        usual = EVERYWHERE[0] if arguments.everywhere else Step(MOST, MAIN, turns=steps[0].turns)
        steps = (Step(arguments.pythons or usual.pythons, arguments.targets or usual.targets,
                      arguments.rates or usual.rates, usual.turns),)
    return [step._replace(turns=arguments.turns or step.turns) for step in steps]


def variant(name):
    found = [each for each in catalogue.CATALOGUE if each.name == name]
    if not found:
        known = " ".join(each.name for each in catalogue.CATALOGUE)
        raise SystemExit(f"bench/run: no target {name}; there are: {known}")
    return found[0]


def interpreter_for(minor, chosen_variant, interpreters):
    """The interpreter, or a reason why there is none."""
    version = tuple(int(part) for part in minor.split("."))
    if not catalogue.runs_on(chosen_variant, version):
        return None, f"runs on {chosen_variant.pythons}"
    if chosen_variant.needs:
        equipped = [each for each in pythons.equipped(chosen_variant.needs) if each.minor == version]
        missing = f"no CPython {minor} with {chosen_variant.needs}: tools/pythons fetch"
        return (equipped[0], "") if equipped else (None, missing)
    found = pythons.one_of_each(interpreters, (minor,))
    return (found[0], "") if found else (None, f"no CPython {minor}: tools/pythons fetch")


def units(steps, interpreters):
    """What is run, one after the other: (step, minor, interpreter or None, why not, variant)."""
    for step in steps:
        for name in step.targets:
            for minor in step.pythons:
                chosen_variant = variant(name)
                yield (step, minor, *interpreter_for(minor, chosen_variant, interpreters), chosen_variant)

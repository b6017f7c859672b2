"""A program that imports 300 modules and then works: python imports.py TRUTH_FILE --modules 300.

The modules are made beside TRUTH_FILE, and removed at the end.
"""
import os
import random
import shutil
import sys

import truth_cells
from clocks import thread_clock
from truth_cells import Account, Truth

CHAIN = 10  # a module imports the next one, up to so many
COMPUTE_NS = 20000000  # between two chains
POSSIBLE = "(<module>(;work(;make_modules(;source_of(;<genexpr>)?)?|;import_modules|;compute(;call)?)?)?)?"
FUNCTION = """
def function_{number}(first, second=None, *others):
    if first and second:
        return [each * {number} for each in others if each not in (first, second)]
    total = {{"first": first, "second": second, "third": "{number}"}}
    for key, value in sorted(total.items()):
        first = "%s=%s" % (key, value)
    return first
"""


def source_of(number):
    imported = "import made.module_%d\n" % (number + 1) if (number + 1) % CHAIN else ""
    functions = "".join(FUNCTION.format(number=each) for each in range(15))  # call
    return imported + functions + "TABLE = dict((n, str(n)) for n in range(500))\n"


def make_modules(package):
    os.makedirs(package)
    with open(os.path.join(package, "__init__.py"), "w"):
        pass
    for number in range(said.modules):
        with open(os.path.join(package, "module_%d.py" % number), "w") as module:
            module.write(source_of(number))  # call


def import_modules(first):
    __import__("made.module_%d" % first)


def call(turns):
    while turns > 0:
        turns -= 1


def compute(until_ns):
    while clock() < until_ns:
        call(200)  # call


def work():
    truth.watch()
    chance, folder = random.Random(1), said.truth_file + ".modules"
    shutil.rmtree(folder, ignore_errors=True)
    account.block([truth.cell("make_modules")], make_modules, os.path.join(folder, "made"))  # call
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    for first in range(0, said.modules, CHAIN):
        account.block([truth.cell("import_modules")], import_modules, first)  # call
        until_ns = clock() + chance.uniform(0.5, 1.5) * COMPUTE_NS
        account.block([truth.cell("compute")], compute, until_ns)  # call
    shutil.rmtree(folder)
    truth.judge()
    account.settle()


said = truth_cells.options(__doc__, modules=300)
truth = Truth(said, __file__, ["make_modules", "import_modules", "compute"], POSSIBLE, waits=True)
clock = thread_clock()
truth.ready()
account = Account(truth)
work()  # call

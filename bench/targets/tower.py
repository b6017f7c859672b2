"""A stack of DEPTH calls through methods of several files, as programs have it, to be recorded: python tower.py DEPTH.

The innermost one computes for ever. The files are not there: what is recorded names no folder of any machine.
"""
import sys

METHODS = 40
METHODS_PER_FILE = 4

SOURCE = '''
class Service{number}(object):
    """One of several that call each other."""

    limit = {number}

    def handle_request_{number}(self, chain, depth):
        total = 0
        names = ["first", "second", "third"]
        for place, name in enumerate(names):
            if len(name) > 5:
                total += place
            else:
                total -= place
        if not chain or depth == 0:
            return total
        try:
            following = chain[depth % len(chain)]
            total += following(chain, depth - 1)
        except KeyError:
            total = self.limit
        finally:
            names.append("last")
        return total + len(names)
'''


def work(chain, depth):
    total = 0
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        total = (total + 1) % 1000


def make_methods(count):
    methods = []
    for number in range(count):
        space = {"__name__": "app.part%d" % (number // METHODS_PER_FILE)}
        lines = "\n" * 40 * (number % METHODS_PER_FILE)
        exec(compile(lines + SOURCE.format(number=number), "/srv/app/part%d.py" % (number // METHODS_PER_FILE), "exec"), space)
        methods.append(getattr(space["Service%d" % number](), "handle_request_%d" % number))
    return methods


class Chain(object):
    """Of methods, each of which takes the next one out of it; the last of all is work()."""

    def __init__(self, methods, last):
        self.methods, self.last = methods, last

    def __len__(self):
        return 1 << 30

    def __getitem__(self, depth):
        return self.methods[depth % len(self.methods)] if depth > 1 else self.last


def main(depth):
    sys.setrecursionlimit(depth + 1000)
    chain = Chain(make_methods(METHODS), work)
    around = 3  # the module, this function, work()
    chain.methods[0](chain, depth - around)


main(int(sys.argv[1]))

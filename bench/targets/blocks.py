"""What a target does in one go: blocks of calls, and how long they take here."""
import collections
import random
from itertools import repeat

from clocks import thread_clock

BLOCK_NS = 1000000
BLOCKS_PER_GROUP = 100  # in each group of blocks the labels have their designed shares
GROUPS = 20

# Units of progress, about nanoseconds. They are the same in every run, whatever the calibration says.
TURN, CALL, TURN_OF_CALL = 10, 60, 25


class Block(collections.namedtuple("Block", "label function share units calls cells")):
    """`function(rounds)` is work of a label that is to get `share` of the time.

    A round is worth `units` of progress and makes about `calls` calls. `cells` of single lines get the time, too.
    """

    def __new__(cls, function, share, label=None, units=1, calls=1, cells=()):
        return super(Block, cls).__new__(cls, label or function.__name__, function, share, units, calls, cells)


def cost_of(function):
    """How many nanoseconds a round takes: function(rounds) is tried with ever more rounds, for about three milliseconds.

    Of several tries the shortest counts: the machine may hold any of them up.
    """
    clock, rounds = thread_clock(), 1
    while True:
        tries = []
        for _ in range(4):
            began = clock()
            function(rounds)
            tries.append(clock() - began)
        if min(tries) >= BLOCK_NS // 5:
            return float(min(tries)) / rounds
        rounds *= 2


def turns_of(function, length_ns):
    """For a function that loops `turns` times: how many turns make a call of it take about so long."""
    def calls_of(turns):
        def calls(rounds):
            for _ in repeat(None, rounds):
                function(turns)
        return calls

    shortest = cost_of(calls_of(0))
    per_turn = (cost_of(calls_of(1000)) - shortest) / 1000
    return max(0, int(round((length_ns - shortest) / per_turn)))


def units_of(turns):
    return CALL + TURN_OF_CALL * turns


def schedule(blocks, costs, block_ns=BLOCK_NS):
    """Which blocks to run, with how many rounds: in random order, of lengths between 0.6 and 1 times `block_ns`."""
    chance = random.Random(1)
    longest = [max(1, int(block_ns / cost)) for cost in costs]
    # A block of few rounds cannot be of any length, so the mean length differs: the number of blocks makes up for it.
    mean = [cost * sum(rounds_between(0.6 + 0.004 * step, most) for step in range(100)) / 100
            for cost, most in zip(costs, longest)]
    frequencies = [block.share / length for block, length in zip(blocks, mean)]
    planned = []
    for _ in range(GROUPS):
        group = []
        for number, frequency in enumerate(frequencies):
            count = max(1, int(round(BLOCKS_PER_GROUP * frequency / sum(frequencies))))
            group += [(number, rounds_between(chance.uniform(0.6, 1), longest[number])) for _ in range(count)]
        chance.shuffle(group)
        planned += group
    return planned


def rounds_between(part, most):
    return max(1, int(round(part * most)))


def shares_by_label(blocks):
    shares = collections.defaultdict(float)
    for block in blocks:
        shares[block.label] += block.share
    return dict((label, round(share, 6)) for label, share in shares.items())

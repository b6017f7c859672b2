"""How far chance may lead a count of samples astray."""

import math

RARE = 1e-8


def most_by_chance(samples, probability):
    """More of so many samples are wrong once in a hundred million runs, if each is with this probability."""
    wrong, more = 0, 1.0
    while wrong < samples:
        more -= exactly(wrong, samples, probability)
        if more <= RARE:
            break
        wrong += 1
    return wrong


def exactly(wrong, samples, probability):
    """How probable it is that so many of them are."""
    ways = math.lgamma(samples + 1) - math.lgamma(wrong + 1) - math.lgamma(samples - wrong + 1)
    return math.exp(ways + wrong * math.log(probability) + (samples - wrong) * math.log1p(-probability))

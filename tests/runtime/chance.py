"""How far chance may lead a count of samples astray."""

import math


def most_by_chance(samples, probability):
    """More of so many samples are wrong once in a hundred million runs, if each is with this probability."""
    # The logarithm of the chance that just `wrong` of them are: that none is may be less likely than a float can hold.
    wrong, log_chance = 0, samples * math.log1p(-probability)
    total = math.exp(log_chance)
    while total < 1 - 1e-8:
        wrong += 1
        log_chance += math.log((samples - wrong + 1) / wrong * probability / (1 - probability))
        total += math.exp(log_chance)
    return wrong

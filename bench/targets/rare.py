"""Calls that are traced or not: python rare.py CALLS. For each line `go` or `profile` it calls, and says how many seconds
that took, under cProfile if it was asked to. One call in 10,000 is of `rare`, the others are of `common`.
"""
import cProfile
import sys
import time

EVERY = 10_000


def common(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return total


def rare(rounds):
    return common(rounds)


def work(calls):
    for number in range(calls):
        (common if number % EVERY else rare)(10)


def main():
    calls = int(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        profile = cProfile.Profile() if line.strip() == "profile" else None
        began = time.perf_counter()
        profile.runcall(work, calls) if profile else work(calls)
        print(time.perf_counter() - began, flush=True)


main()

"""Calls of every kind for ever, after it has told which stacks that makes.

Says {"stacks": [[name, ...], ...]}, the outermost first: all that sys.setprofile saw in the first rounds, and those in
which a generator is made, of which it tells nothing. Arguments: none.
"""

import gc
import inspect
import sys

import calls
import picture

ROUNDS = 3
GENERATES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Profile(object):
    def __init__(self):
        self.stacks = {}  # and the code that is the innermost

    def note(self, frame, event, _):
        self.stacks[tuple(shown["name"] for shown in reversed(picture.describe(frame)))] = frame.f_code

    def stacks_that_make(self):
        """A function that names one that generates makes one of it, in a frame of the latter."""
        functions = {name: value.__code__ for name, value in vars(calls).items() if inspect.isfunction(value)}
        return {stack + (name,) for stack, code in self.stacks.items() for name in code.co_names
                if name in functions and functions[name].co_flags & GENERATES}


def main():
    gc.disable()  # so that generators end where they are dropped
    profile = Profile()
    rounds = 0
    sys.setprofile(profile.note)
    while True:
        calls.one_round()
        rounds += 1
        if rounds == ROUNDS:
            sys.setprofile(None)
            possible = set(profile.stacks) | profile.stacks_that_make() | {("<module>", "main", "say")}
            picture.say({"stacks": sorted(possible)})


if __name__ == "__main__":
    main()

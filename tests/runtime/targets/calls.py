"""Calls of every kind, the same ones in each run: python calls.py HOW ROUNDS [DEPTH].

HOW is `plain`, to be traced from outside, or `profiled` or `stepped`, to count them itself with sys.setprofile or
sys.settrace. It says {} when it is ready and waits for a line, DEPTH calls further inside, which it leaves first of all.
Then it calls and, if it counted, says what:
{"calls": {function: count}, "returns": {function: count}, "lines": {"function:line": count}}.
"""

import functools
import gc
import os
import sys
import threading

import call_counter
import picture

def plain(number):
    return number + 1


def with_defaults(number, step=1, *others, **named):
    return number + step + len(others) + len(named)


def recursive(depth):
    if depth == 0:
        return 0
    return 1 + recursive(depth - 1)


def ping(number):
    return number and pong(number - 1)


def pong(number):
    return number and ping(number - 1)


class Thing(object):
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __del__(self):
        plain(self.value)

    def method(self, number):
        return self.value + number

    @property
    def doubled(self):
        return 2 * self.value

    @classmethod
    def made(cls, value):
        return cls(value)

    @staticmethod
    def fixed(value):
        return value


def things():
    many = [Thing.made(value) for value in (3, 1, 2)]
    many.sort()
    total = sum(thing.doubled + thing.method(1) + Thing.fixed(2) for thing in many)
    bound = many[0].method
    return total + bound(1)


def add(left, right):
    return left + right


def from_c():
    sorted(range(5), key=lambda number: -number)
    functools.reduce(add, range(5))
    sum(map(plain, range(5)))
    list(filter(lambda number: number % 2, range(5)))
    max([3, 1, 2], key=plain)


def comprehensions():
    squares = [number * number for number in range(3)]
    names = {number: str(number) for number in squares}
    return squares, names, {plain(number) for number in squares}


def numbers(count):
    for number in range(count):
        yield number


def delegating(count):
    got = yield from numbers(count)
    yield got


def guarded():
    try:
        yield 1
        yield 2
    except ValueError:
        yield 3
    finally:
        plain(0)


def generators():
    for _ in delegating(3):
        pass
    # Not one without `try`: from 3.13 on close() runs its code only while somebody profiles it.
    closed_inside = guarded()
    next(closed_inside)
    closed_inside.close()
    caught = guarded()
    next(caught)
    caught.throw(ValueError())
    list(caught)
    passed_on = numbers(3)
    next(passed_on)
    try:
        passed_on.throw(KeyError())
    except KeyError:
        pass
    never_begun = numbers(3)
    never_begun.close()
    dropped = guarded()
    next(dropped)


class Once(object):
    def __await__(self):
        yield 1


async def leaf():
    await Once()
    return 1


async def trunk():
    return await leaf() + await leaf()


async def ticks():
    for number in range(2):
        yield number


async def listens():
    return [number async for number in ticks()]


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass


def coroutines():
    drive(trunk())
    drive(listens())
    thrown = trunk()
    thrown.send(None)
    try:
        thrown.throw(KeyError())
    except KeyError:
        pass


def raises(depth):
    if depth == 0:
        raise LookupError("from the depth")
    raises(depth - 1)


def raises_again():
    try:
        raises(3)
    except LookupError as error:
        raise RuntimeError("another") from error


def exceptions():
    for function in (raises_again, lambda: raises(1)):
        try:
            function()
        except (LookupError, RuntimeError):
            pass


def one_round():
    for number in range(5):
        plain(number)
    with_defaults(1, 2, 3, named=4)
    recursive(20)
    ping(9)
    things()
    from_c()
    comprehensions()
    generators()
    coroutines()
    exceptions()


def rounds(count):
    for _ in range(count):
        one_round()


def work(count):
    """A fifth of it in the main thread, and a fifth in each of four others at the same time."""
    threads = [threading.Thread(target=rounds, args=(count // 5,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    rounds(count // 5)
    for thread in threads:
        thread.join()


def wait(depth, counter):
    if depth:
        wait(depth - 1, counter)
        return
    picture.say({})
    sys.stdin.readline()
    if counter:
        counter.start()


def main():
    how, count, depth = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    gc.disable()
    counter = None if how == "plain" else call_counter.CallCounter(how, main.__code__.co_filename)
    wait(depth, counter)
    work(count)
    if counter:
        counter.stop()
        picture.say(counter.result())
    os._exit(0)  # without the calls of an orderly end


if __name__ == "__main__":
    main()

"""A program as people write them: python realistic.py TRUTH_FILE.

Generators, comprehensions, with, try and except, methods, recursion, and functions that C code calls back.
"""
import contextlib
import re
from itertools import repeat

import truth_cells
from blocks import Block
from truth_cells import Account, Truth

# Before 3.12 a comprehension is a function of its own.
ORDERS_READ = "(;orders(;records(;replace)?|;__init__)?)?"
TOTAL = "(;total(;discount)?)?"
POSSIBLE = "<module>;work(%s)?" % "|".join((
    ";parse(;<listcomp>)?" + ORDERS_READ,
    ";parse;<dictcomp>",
    ";price(;<genexpr>%s|;doubled%s|;dearest(;<lambda>%s)?)?" % (TOTAL, TOTAL, TOTAL),
    ";retry(;attempt(;(logged|refuse|__enter__|__exit__|release))?)?",
    ";render(;branch){0,6}",
    ";render(;branch){1,6};label"))
TEXT = "\n".join("order %d: %d pieces at $%d" % (number, number % 7, 3 * number) for number in range(40))
PRICE = re.compile(r"\$(\d+)")


class Order(object):
    def __init__(self, pieces, price):
        self.pieces = pieces
        self.price = price

    def total(self):
        return self.pieces * self.price - self.discount()  # call

    def discount(self):
        return self.price if self.pieces > 5 else 0


def replace(match):
    return str(int(match.group(1)) * 100)


def records():
    for line in TEXT.splitlines():
        yield PRICE.sub(replace, line).split()  # call


def orders():
    for record in records():  # call
        yield Order(int(record[2]), int(record[5]))  # call


def parse(rounds):
    for _ in repeat(None, rounds):
        found = [order for order in orders()]  # call
        {order.price: order.pieces for order in found}  # call


ORDERS = list(orders())


def doubled(order):
    return 2 * order.total()  # call


def dearest():
    return sorted(ORDERS, key=lambda order: order.total())  # call


def price(rounds):
    for _ in repeat(None, rounds):
        sum(order.total() for order in ORDERS)  # call
        list(map(doubled, ORDERS))  # call
        dearest()  # call


class Refused(Exception):
    pass


class Connection(object):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def release(self):
        pass


@contextlib.contextmanager
def logged():
    try:
        yield
    finally:
        pass


def refuse(number):
    if number % 3 == 0:
        raise Refused(number)
    return number


def attempt(number):
    connection = Connection()
    try:
        with connection:  # call
            with logged():  # call
                return refuse(number)  # call
    except Refused as refusal:
        return refusal.args[0]
    finally:
        connection.release()  # call


def retry(rounds):
    for number in range(rounds):
        attempt(number)  # call


def label(level):
    return "%d:" % level


def branch(level):
    if level == 0:
        return label(level)  # call
    return "(%s%s %s)" % (label(level), branch(level - 1), branch(level - 1))  # call


def render(rounds):
    for _ in repeat(None, rounds):
        branch(5)  # call


def work():
    Account(truth).run(blocks)  # call


said = truth_cells.options(__doc__)
blocks = [Block(parse, 0.35, units=100000, calls=160), Block(price, 0.3, units=50000, calls=320),
          Block(retry, 0.15, units=2000, calls=9), Block(render, 0.2, units=30000, calls=126)]
truth = Truth(said, __file__, [block.label for block in blocks], POSSIBLE)
work()  # call

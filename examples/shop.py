"""A small web shop's nightly work, as a program worth profiling: it reads an order log, prices the orders, looks for
products that are bought together, and writes a report. All data is made up and the same in every run.

    flametap record -- python3 examples/shop.py
"""

import collections
import hashlib
import json
import random
import re

CUSTOMERS = 400
ORDERS = 20000
DELIVERIES = 250
COLOURS = ("red", "green", "blue", "grey")
PRODUCTS = [f"{colour} {thing}" for colour in COLOURS for thing in ("mug", "lamp", "chair", "desk", "shelf")]

LINE = re.compile(r"(?P<day>\d{4}-\d\d-\d\d) customer=(?P<customer>\d+) items=(?P<items>\[.*\]) note=(?P<note>.*)")
WORD = re.compile(r"[a-z]+")


def main():
    orders = read_orders(write_log(random.Random(1)))
    priced = price_orders(orders)
    report = {
        "best_customers": best_customers(priced)[:5],
        "bought_together": bought_together(orders)[:5],
        "delivery_minutes": plan_deliveries(orders),
        "common_words": common_words(orders)[:5],
    }
    print(render(report))


# The log, as another program would have written it.


def write_log(chance):
    return [log_line(chance) for _ in range(ORDERS)]


def log_line(chance):
    items = [{"product": chance.choice(PRODUCTS), "count": chance.randint(1, 4)} for _ in range(chance.randint(1, 6))]
    note = " ".join(chance.choice(("please", "ring", "leave", "at", "the", "door", "quick")) for _ in range(8))
    day = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    return f"{day} customer={chance.randrange(CUSTOMERS)} items={json.dumps(items)} note={note}"


# Reading.


def read_orders(lines):
    return [parse_order(line) for line in lines]


def parse_order(line):
    order = LINE.fullmatch(line).groupdict()
    order["items"] = json.loads(order["items"])
    order["customer"] = int(order["customer"])
    return order


# Pricing.


def price_orders(orders):
    return [dict(order, total=order_total(order)) for order in orders]


def order_total(order):
    return sum(item_price(item["product"]) * item["count"] for item in order["items"])


def item_price(product):
    """A price that belongs to the name, found the slow way."""
    digest = hashlib.sha256(product.encode()).digest()
    return 5 + sum(digest) % 95


def best_customers(priced):
    spent = collections.Counter()
    for order in priced:
        spent[order["customer"]] += order["total"]
    return sorted(spent.items(), key=lambda entry: (-entry[1], entry[0]))


# Analysis.


def bought_together(orders):
    pairs = collections.Counter()
    for order in orders:
        count_pairs(sorted({item["product"] for item in order["items"]}), pairs)
    return sorted(pairs.items(), key=by_frequency)


def count_pairs(products, pairs):
    for position, first in enumerate(products):
        for second in products[position + 1 :]:
            pairs[first, second] += 1


def by_frequency(entry):
    return -entry[1], entry[0]


def common_words(orders):
    words = collections.Counter()
    for order in orders:
        words.update(WORD.findall(order["note"]))
    return sorted(words.items(), key=by_frequency)


# Planning: the shortest round trip through a handful of addresses, by trying them all.


def plan_deliveries(orders):
    return sum(shortest_trip(addresses(order)) for order in orders[:DELIVERIES])


def addresses(order):
    chance = random.Random(order["customer"])
    return [(chance.randrange(100), chance.randrange(100)) for _ in range(6)]


def shortest_trip(stops, here=(50, 50)):
    if not stops:
        return distance(here, (50, 50))
    return min(
        distance(here, stop) + shortest_trip(stops[:number] + stops[number + 1 :], stop)
        for number, stop in enumerate(stops)
    )


def distance(here, there):
    return abs(here[0] - there[0]) + abs(here[1] - there[1])


def render(report):
    return "\n".join(f"{title:17} {json.dumps(lines)}" for title, lines in report.items())


if __name__ == "__main__":
    main()

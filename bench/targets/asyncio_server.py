"""An event loop: python asyncio_server.py TRUTH_FILE --tasks 50.

The tasks compute for a known time and wait in between. Requests go through a queue to the tasks, which parse, query and
render them, each in a coroutine of its own.
"""
import asyncio
import random

import truth_cells
from blocks import cost_of, units_of
from truth_cells import Account, Truth

POSSIBLE = (
    "<module>;work(;serve"
    "|;produce"
    "|;handle(;read(;parse(;call)?)?|;answer(;look_up(;query(;call)?)?|;rows|;render(;call)?)?)?"
    ")?")
SHARES = {"parse": 0.2, "query": 0.5, "render": 0.3}
TURNS = {"parse": 3, "query": 12, "render": 30}  # of each call
REQUEST_NS = 1000000


def call(turns):
    while turns > 0:
        turns -= 1


def parse(rounds):
    for _ in range(rounds):
        call(TURNS["parse"])  # call


def query(rounds):
    for _ in range(rounds):
        call(TURNS["query"])  # call


def render(rounds):
    for _ in range(rounds):
        call(TURNS["render"])  # call


async def read(request):
    await asyncio.sleep(0)  # call
    account.block([truth.cell("parse")], parse, request["parse"], units["parse"] * request["parse"])  # call


async def look_up(request):
    await asyncio.sleep(0.001)  # call
    account.block([truth.cell("query")], query, request["query"], units["query"] * request["query"])  # call


async def rows(count):
    for number in range(count):
        await asyncio.sleep(0)  # call
        yield number


async def answer(request):
    await look_up(request)  # call
    async for _ in rows(2):  # call
        pass
    account.block([truth.cell("render")], render, request["render"], units["render"] * request["render"])  # call


async def handle(requests):
    while True:
        request = await requests.get()
        await read(request)  # call
        await answer(request)  # call


async def produce(requests):
    chance = random.Random(1)
    while True:
        request = {}
        for label, share in SHARES.items():
            length_ns = 2 * share * chance.uniform(0.5, 1) * REQUEST_NS if truth.counting else 0
            request[label] = 2 + int(length_ns / costs[label])
        await requests.put(request)


async def serve():
    requests = asyncio.Queue(said.tasks)
    truth.watch()
    tasks = [asyncio.ensure_future(produce(requests))]
    for _ in range(said.tasks):
        tasks.append(asyncio.ensure_future(handle(requests)))
    for _ in range(said.check):
        await asyncio.sleep(0.005)
    # All tasks do the same for a while: only over many requests of each one are the shares as designed.
    measured_s = 10e-9 * said.tasks * REQUEST_NS
    truth.ready(calls_per_us=round(calls_per_us, 3), shares=SHARES, tolerance_s=0.002, measured_s=measured_s)
    await asyncio.gather(*tasks)


def work():
    asyncio.run(serve())  # call


said = truth_cells.options(__doc__, tasks=50)
costs = {function.__name__: cost_of(function) for function in (parse, query, render)}
calls_per_us = sum(1000 * share / costs[label] for label, share in SHARES.items())
units = {label: units_of(turns) for label, turns in TURNS.items()}
truth = Truth(said, __file__, list(SHARES), POSSIBLE, waits=True)
account = Account(truth)
work()  # call

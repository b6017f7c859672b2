"""A server that mostly waits: python server.py asyncio|twisted. Says {"port": N}.

A line `work N` is answered after N rounds of computing; `how long` is answered with its own clocks since the first
question of that kind: {"cpu_s", "wall_s"}.
"""

import json
import sys
import time

import picture

began = []


def compute(rounds):
    total = 0
    for number in range(rounds):
        total += number
    return total


def answer(line):
    words = line.split()
    if words[0] == b"work":
        compute(int(words[1]))
        return b"done\n"
    now = (time.process_time(), time.monotonic())
    if not began:
        began.extend(now)
    return json.dumps({"cpu_s": now[0] - began[0], "wall_s": now[1] - began[1]}).encode() + b"\n"


def run_asyncio():
    import asyncio

    async def serve(reader, writer):
        while True:
            line = await reader.readline()
            if not line:
                break
            writer.write(answer(line))

    async def main():
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        picture.say({"port": server.sockets[0].getsockname()[1]})
        await loop.create_future()

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(main())


def run_twisted():
    from twisted.internet import protocol, reactor
    from twisted.protocols import basic

    class Serve(basic.LineReceiver):
        delimiter = b"\n"

        def lineReceived(self, line):
            self.transport.write(answer(line))

    factory = protocol.ServerFactory.forProtocol(Serve)
    picture.say({"port": reactor.listenTCP(0, factory, interface="127.0.0.1").getHost().port})
    reactor.run()


{"asyncio": run_asyncio, "twisted": run_twisted}[sys.argv[1]]()

"""A program that has something for every view: two threads that want the GIL, one that waits, collections, the standard library,
a library, deep recursion, and a function whose name is a script. It says ready, and ends when its input does.
"""
import gc
import json
import sys
import threading
import types


def named(name, function):
    """The same function under a name that no source could give it."""
    code = function.__code__.replace(co_name=name)
    if hasattr(code, "co_qualname"):
        code = code.replace(co_qualname=name)
    return types.FunctionType(code, globals(), name)


def spin(rounds):
    total = 0
    for number in range(rounds):
        total += number * number
    return total


hostile = named("<script>window.hacked = 1</script>", lambda rounds: spin(rounds))


def descend(depth):
    return spin(20) if depth == 0 else descend(depth - 1)


def encode(rows):
    return json.loads(json.dumps(rows))


def collect():
    cycles = [[] for _ in range(2000)]
    for cycle in cycles:
        cycle.append(cycle)
    del cycles, cycle
    gc.collect()


def work(done):
    rows = [{"id": number, "name": "order %d" % number} for number in range(200)]
    while not done.is_set():
        spin(2000)
        encode(rows)
        hostile(2000)
        descend(40)
        collect()


def main():
    done = threading.Event()
    threads = [threading.Thread(target=work, args=(done,), name="Worker-%d" % number) for number in (1, 2)]
    threads.append(threading.Thread(target=done.wait, name="Waiter"))
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    sys.stdin.read()
    done.set()
    for thread in threads:
        thread.join()


main()

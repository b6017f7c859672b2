"""What Pyflame's tests look at. The argument says what to do, for ever:

busy      one thread that never lets go of the GIL
two-busy  two threads that fight for it
blocked   five threads that wait for good; `first` and `second` stand on the same line of the same file

Says {} when it does so; blocked says {"main": frames of the main thread}.
"""

import os
import sys
import threading

import picture

SILENT, _keep_open = os.pipe()


def shortest(graph, start):
    """Dijkstra's, without a library."""
    distances, todo = {start: 0}, set(graph)
    while todo:
        nearest = min(todo, key=lambda node: distances.get(node, 1 << 30))
        todo.remove(nearest)
        for node, length in graph[nearest]:
            relax(distances, node, distances[nearest] + length)
    return distances


def relax(distances, node, distance):
    if distance < distances.get(node, 1 << 30):
        distances[node] = distance


def busy():
    graph = {node: [((node * step + 1) % 20, step) for step in (1, 2, 3)] for node in range(20)}
    while True:
        for start in range(20):
            shortest(graph, start)


def sleep_a():
    os.read(SILENT, 1)


def sleep_b():
    os.read(SILENT, 1)


def twin(name):
    space = {"wait": sleep_a}
    exec(compile("def %s(): wait()" % name, "twins.py", "exec"), space)
    return space[name]


def begin(function):
    thread = threading.Thread(target=function)
    thread.daemon = True
    thread.start()


def look(number):
    own = sys._getframe()
    picture.say({"main": picture.describe(own)}); os.read(SILENT, number)


def backwards():
    """The element stands before the loop in the file, and after it in the code."""
    return [
        look(number)
        for number
        in (1,)
    ]


def main():
    if sys.argv[1] == "blocked":
        for function in (sleep_a, sleep_b, twin("first"), twin("second")):
            begin(function)
        picture.wait_for_others(4)
        backwards()
    if sys.argv[1] == "two-busy":
        begin(busy)
    picture.say({})
    busy()


main()

"""Is busy with short calls until it is told on stdin what to do: `exit CODE` or `exec PROGRAM ARGS`.

Says {} when it is about to begin.
"""

import json
import os
import select


def leaf(number):
    return number + 1


def branch(number):
    return leaf(number) + leaf(number)


def work():
    for number in range(200):
        branch(number)


def main():
    os.write(1, json.dumps({}).encode("ascii") + b"\n")
    while not select.select([0], [], [], 0)[0]:
        work()
    words = os.read(0, 4096).decode().split()
    if words[:1] == ["exec"]:
        os.execv(words[1], words[1:])
    os._exit(int(words[1]))


main()

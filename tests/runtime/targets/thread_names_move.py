"""Threads come, go and change their names all the time, while some stay as they are, until stdin is closed.

Says {ident: name} of those that stay. The others are called "visitor-N" or one of the two names of FLICKER.
"""

import itertools
import json
import sys
import threading

FLICKER = ("flicker-a", "flicker-" + "b" * 40)


def come_and_go(over):
    for number in itertools.count():
        if over.is_set():
            return
        visitor = threading.Thread(target=int, name="visitor-%d" % number)
        visitor.start()
        visitor.join()


def flicker(over):
    own = threading.current_thread()
    while not over.is_set():
        for name in FLICKER:
            own.name = "".join(list(name))  # another object each time, at addresses that were used before
            own.attribute = name
            del own.attribute


def main():
    over = threading.Event()
    stay = [threading.Thread(target=over.wait, name="stays-%d" % number) for number in range(5)]
    for thread in stay:
        thread.start()
    said = {str(thread.ident): thread.name for thread in threading.enumerate()}
    movers = [threading.Thread(target=come_and_go, args=(over,), name="visitor-0"),
              threading.Thread(target=flicker, args=(over,), name=FLICKER[0])]
    for thread in movers:
        thread.start()
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    over.set()


main()

"""THREADS threads, of which BUSY compute and the others wait, each some frames deep: python many_threads.py THREADS BUSY."""
import sys
import threading

threads, busy = int(sys.argv[1]), int(sys.argv[2])
forever = threading.Event()


def compute():
    total = 0
    while True:
        total += 1


def descend(levels, then):
    return descend(levels - 1, then) if levels else then()


for number in range(threads - 1):
    then = compute if number < busy else forever.wait
    threading.Thread(target=descend, args=(15, then), daemon=True).start()
sys.stdout.write("ready\n")
sys.stdout.flush()
forever.wait()

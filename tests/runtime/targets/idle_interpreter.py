"""Sub-interpreters on the main thread: the first one sleeps for good, and the second, which is newer, runs nothing.

Says {} when the first is about to sleep.
"""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

SLEEP = """
import os
import time

os.write(1, b'{}\\n')
while True:
    time.sleep(1000)
"""

first = interpreters.create()
second = interpreters.create()
interpreters.run_string(first, SLEEP)

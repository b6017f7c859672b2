"""Counts the calls, returns and lines of one file from inside, in all threads."""

import collections
import sys
import threading


class CallCounter(object):
    """`how`: profiled (calls and returns) or stepped (lines, too)."""

    def __init__(self, how, file):
        self._file = file
        self._of_all_threads, self._of_this_one = (
            (threading.setprofile, sys.setprofile) if how == "profiled" else (threading.settrace, sys.settrace))
        self._counters = []  # one of each thread: they count at the same time
        self._mine = threading.local()

    def start(self):
        self._of_all_threads(self._note)
        self._of_this_one(self._note)

    def stop(self):
        self._of_this_one(None)

    def result(self):
        total = sum(self._counters, collections.Counter())
        kinds = {"call": "calls", "return": "returns", "line": "lines"}
        return {name: {key: count for (event, key), count in total.items() if event == kind}
                for kind, name in kinds.items()}

    def _note(self, frame, event, _):
        code = frame.f_code
        if code.co_filename == self._file and event in ("call", "return", "line"):
            key = "%s:%d" % (code.co_name, frame.f_lineno) if event == "line" else code.co_name
            self._counter()[event, key] += 1
        return self._note

    def _counter(self):
        if not hasattr(self._mine, "counter"):
            self._mine.counter = collections.Counter()
            self._counters.append(self._mine.counter)
        return self._mine.counter

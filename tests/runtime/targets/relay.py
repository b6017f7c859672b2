"""Threads that run one after the other, each with a name and a function of its own: python relay.py SECONDS COUNT [HOW].

Thread `thr-7` runs the function `f_7`. Each takes the memory, and so the ident, of the one before. With `linger` the
kernel takes some 20 ms to end a thread, because it has files of its own to close: by then the next one is at work. With
`three` they run in three lanes, so that one may take the ident of another that ended, and the memory of a third.
Says at the end how many seconds all of them were at work.
"""
import sys
import threading
import time

seconds, count = float(sys.argv[1]), int(sys.argv[2])
SOURCE = """
def f_%d():
    prepare()
    begin = now = time.time()
    while now < begin + seconds:
        now = time.time()
    spent.append(now - begin)
"""
spent = []


def have_files_to_close():
    if libc.unshare(CLONE_FILES) != 0:
        raise OSError("unshare")
    # These take it some milliseconds of computing, and as long to make.
    for _ in range(min(1000, (most_files - 100) // 2)):
        os.pipe()
    # For each of these it only waits, some 5 ms long, until nobody looks at what was watched any more.
    for _ in range(4):
        libc.inotify_add_watch(libc.inotify_init(), b"/", IN_MODIFY)


def prepare():
    pass


if sys.argv[3:] == ["linger"]:
    import ctypes
    import os
    import resource
    CLONE_FILES, IN_MODIFY = 0x400, 2
    libc = ctypes.CDLL(None)
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    prepare = have_files_to_close


def run(numbers):
    for number in numbers:
        exec(SOURCE % number, globals())
        thread = threading.Thread(target=globals()["f_%d" % number], name="thr-%d" % number)
        thread.start()
        thread.join()


if sys.argv[3:] == ["three"]:
    lanes = [threading.Thread(target=run, args=(range(first, count, 3),), name="lane") for first in range(3)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
else:
    run(range(count))
print(sum(spent))

"""The clocks of the targets, in nanoseconds."""
import time
from itertools import repeat


def thread_clock():
    """A function that tells the CPU time of its thread in nanoseconds."""
    if hasattr(time, "thread_time_ns"):
        return time.thread_time_ns
    if hasattr(time, "clock_gettime"):
        return lambda: int(time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) * 1e9)
    import ctypes
    get_time, moment, thread_cpu_time = ctypes.CDLL(None).clock_gettime, (ctypes.c_long * 2)(), 3
    where = ctypes.byref(moment)

    def clock():
        get_time(thread_cpu_time, where)
        return moment[0] * 1000000000 + moment[1]

    return clock


def wall_clock():
    """A function that tells the time in nanoseconds, without a system call."""
    if hasattr(time, "perf_counter_ns"):
        return time.perf_counter_ns
    tell = getattr(time, "perf_counter", time.time)
    return lambda: int(tell() * 1e9)


def cost_of_clock(clock):
    tries = []
    for _ in repeat(None, 100):
        began = clock()
        tries.append(clock() - began)
    return sorted(tries)[len(tries) // 2]

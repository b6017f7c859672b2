"""The clocks of the targets, in nanoseconds."""
import time

MONOTONIC, THREAD_CPU_TIME = 1, 3  # as Linux numbers its clocks


def thread_clock():
    """A function that tells the CPU time of its thread in nanoseconds."""
    return getattr(time, "thread_time_ns", None) or clock(THREAD_CPU_TIME)


def wall_clock():
    """A function that tells the time in nanoseconds, without a system call. Nobody can set it back."""
    return getattr(time, "perf_counter_ns", None) or clock(MONOTONIC)


def clock(number):
    """For Python before 3.7, and before 3.3."""
    if hasattr(time, "clock_gettime"):
        return lambda: int(time.clock_gettime(number) * 1e9)
    import ctypes
    get_time, moment = ctypes.CDLL(None).clock_gettime, (ctypes.c_long * 2)()
    where = ctypes.byref(moment)

    def tell():
        get_time(number, where)
        return moment[0] * 1000000000 + moment[1]

    return tell

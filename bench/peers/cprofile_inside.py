"""Runs a program in which cProfile can be switched on (SIGUSR1) and off (SIGUSR2).

python cprofile_inside.py PROFILE PROGRAM [ARGUMENTS]. When it is switched off, what it saw is in the file PROFILE.
Runs on all versions from 2.7 on.
"""
import cProfile
import os
import runpy
import signal
import sys


def main():
    output, running = sys.argv[1], []

    def begin(*_):
        running.append(cProfile.Profile())
        running[-1].enable()

    def end(*_):
        profile = running.pop()
        profile.disable()
        profile.dump_stats(output + ".part")
        os.rename(output + ".part", output)

    signal.signal(signal.SIGUSR1, begin)
    signal.signal(signal.SIGUSR2, end)
    sys.argv = sys.argv[2:]
    sys.path[0] = os.path.dirname(sys.argv[0])
    runpy.run_path(sys.argv[0], run_name="__main__")


main()

"""Pyflame's command line: every option, and what is said to those that are wrong. Tests with the names of Pyflame's own."""

import re

import pytest

from pyflame import Collapsed

WARNING = "WARNING: Specifying a PID to trace without -p is deprecated; see Pyflame issue #99 for details.\n"
VERSION = r"pyflame \d+\.\d+\.\d+ \S+ \S+ \(ABI list: (\d+ )*\d+\)"


def test_legacy_pid_handling(pyflame, usual_python, workload):
    target = workload(usual_python, "busy")
    done = pyflame.run("-s", 0, target.pid)
    assert (done.code, done.err) == (0, WARNING)
    assert Collapsed(done.out.decode()).total == 1


def test_legacy_pid_handling_too_many_pids(pyflame):
    assert "Usage: " in pyflame.refuses("1", "2")


def test_legacy_pid_that_is_none(pyflame):
    assert pyflame.refuses("x") == 'Error: failed to parse "x" as a PID.\n'


def test_dash_t_and_dash_p(pyflame):
    assert pyflame.refuses("-p", 1, "-t", "true") == "Options -t and -p are not mutually compatible.\n"


def test_dash_t_and_dash_d(pyflame):
    assert pyflame.refuses("-d", "-t", "true") == "Options -t and -d are not mutually compatible.\n"


def test_trace_no_arg(pyflame):
    assert pyflame.refuses("-t").startswith("Option -t requires a command to run.\nUsage: ")


def test_sample_no_arg(pyflame):
    assert pyflame.refuses().startswith("Usage: ")


def test_sample_extra_args(pyflame):
    assert "Usage: " in pyflame.refuses("-p", 1, "more")


@pytest.mark.parametrize("pid", ["-1", "0", str(1 << 200), "not a pid"])
def test_invalid_pid(pyflame, pid):
    assert pyflame.refuses("-p", pid) == 'Error: failed to parse "%s" as a PID.\n' % pid


def test_unsupported_abi(pyflame):
    assert pyflame.refuses("--abi=0", "-p", 1) == "Unknown or unsupported ABI version: 0\n"


@pytest.mark.parametrize("option", ["-v", "--version"])
def test_version(pyflame, option):
    assert re.fullmatch(VERSION + "\n", pyflame.sample(option))


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(pyflame, option):
    text = pyflame.sample(option)
    assert re.match(VERSION + r"\n\nUsage: pyflame \[options\] \[-p\] PID\n", text)
    for name in ["abi", "dump", "exclude-idle", "flamechart", "help", "no-line-numbers", "output", "pid", "rate",
                 "seconds", "threads", "trace", "version"]:
        assert "--" + name in text


@pytest.mark.parametrize("args", [["-z"], ["--nonsense"], ["-s"], ["--rate"]])
def test_unknown_option_or_missing_value(pyflame, args):
    """Pyflame went on after an unknown option."""
    err = pyflame.refuses("-p", 1, *args)
    assert err.startswith("pyflame: ") and args[0] in err and "Usage: " in err


@pytest.mark.parametrize("option", ["-s", "-r"])
@pytest.mark.parametrize("value", ["x", "", "nan", "1s"])
def test_bad_float(pyflame, option, value):
    """Pyflame aborted."""
    assert pyflame.refuses("-p", 1, option, value).startswith('Error: failed to parse "%s" as ' % value)

"""What cannot be done is refused with the right exit code and a message that names the thing, the reason and the
remedy.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import flametap
from target import wait_until


def refused(code, *args, **options):
    """Runs flametap, which must fail with that code, on stderr alone; gives what it says."""
    done = flametap.run(*args, **options)
    assert done.code == code, done
    assert done.out == b""
    assert done.err.strip()
    return done.err


def largest_pid():
    return int(Path("/proc/sys/kernel/pid_max").read_text())


@pytest.fixture
def spawn():
    """Starts a command that is no Python and ends it after the test."""
    running = []

    def start_command(*argv, **options):
        running.append(subprocess.Popen(argv, **options))
        return running[-1]

    yield start_command
    for process in running:
        process.kill()
        process.wait()


@pytest.fixture
def python_process(usual_python, start):
    target = start(usual_python, "obedient.py")
    target.says()
    return target


ATTACHING = [["dump"], ["record", "-d", "0.2", "-o", os.devnull, "-f", "folded"]]


@pytest.fixture(params=ATTACHING, ids=["dump", "record"])
def attaching(request, tmp_path, monkeypatch):
    """A command that wants a process; it runs in an empty folder, which must stay empty."""
    monkeypatch.chdir(tmp_path)
    yield request.param
    assert os.listdir(tmp_path) == []


def test_no_such_process(attaching):
    err = refused(flametap.NO_SUCH_PROCESS, *attaching, "-p", largest_pid())
    assert str(largest_pid()) in err


@pytest.mark.parametrize("pid", ["0", "-1", "x", "", "99999999999999999999", "1.5"])
def test_not_a_pid(attaching, pid):
    done = flametap.run(*attaching, "-p", pid)
    assert done.code in (flametap.USAGE, flametap.NO_SUCH_PROCESS), done
    assert done.err.strip()


def test_another_users_process(attaching, python_process, public_folder):
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    copy = shutil.copy(flametap.binary(), public_folder / "flametap")
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, *attaching, "-p",
                           str(python_process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    err = done.stderr.decode()
    assert done.returncode == flametap.NOT_PERMITTED, err
    assert "sudo" in err or "root" in err or "user" in err, "no remedy: " + err


def test_not_a_python(attaching, spawn):
    process = spawn("sleep", "1000")
    err = refused(flametap.NOT_PYTHON, *attaching, "-p", process.pid)
    assert str(process.pid) in err and "Python" in err


def test_kernel_thread(attaching):
    if Path("/proc/2/comm").exists() and Path("/proc/2/comm").read_text().strip() == "kthreadd":
        refused(flametap.NOT_PYTHON, *attaching, "-p", 2)
    else:
        pytest.skip("no kernel thread can be seen from here")


def test_zombie(attaching, spawn):
    process = spawn("true")
    wait_until(lambda: Path("/proc/%d/stat" % process.pid).read_text().rpartition(")")[2].split()[0] == "Z", "it ended")
    done = flametap.run(*attaching, "-p", process.pid)
    assert done.code in (flametap.NO_SUCH_PROCESS, flametap.NOT_PYTHON), done
    assert "zombie" in done.err or "ended" in done.err or "exited" in done.err


@pytest.fixture
def stopped(usual_python, start):
    """It calls nothing: stopped in the middle of a call, it would have no frame that is whole."""
    target = start(usual_python, "paces.py", "works")
    target.says()
    with target.stopped():
        yield target
    wait_until(lambda: target.state() == "R", "it went on")


def test_dump_of_a_stopped_process(stopped):
    thread, = flametap.dump(stopped.pid)["threads"]
    assert thread["outcome"] == "complete"
    assert thread["frames"][-1]["name"] == "<module>"
    assert stopped.state() == "T"


@pytest.mark.parametrize("mode", ["wall", "cpu"])
def test_record_of_a_stopped_process(stopped, tmp_path, mode):
    """It is on no CPU, so a CPU profile may at most say that it has the GIL; it stays stopped all the time."""
    recording = flametap.record(tmp_path, "-p", stopped.pid, "-d", 0.3, "--mode", mode)
    assert stopped.state() == "T"
    if mode == "wall":
        assert recording.folded.total > 0
        assert len(recording.folded.stacks) == 1, "it moved"


@pytest.mark.parametrize("option, value", [
    ("-r", "0"), ("-r", "-1"), ("-r", "x"), ("-r", ""), ("-r", "1000000000"), ("-r", "nan"), ("-r", "inf"),
    ("-d", "-1"), ("-d", "x"), ("-d", "nan"), ("-d", ""),
    ("-f", "jpeg"), ("--mode", "x"), ("--cpu", "x"), ("--cpu", "-1"), ("--nonsense", "1"),
])
def test_bad_value(python_process, tmp_path, option, value):
    output = tmp_path / "out"
    err = refused(flametap.USAGE, "record", "-p", python_process.pid, "-d", "0.2", "-f", "folded", "-o", output,
                  option, value)
    assert option.lstrip("-") in err or value in err
    assert not output.exists()


def test_a_million_a_second_is_refused_or_kept_as_far_as_possible(python_process, tmp_path):
    """A rate that no machine holds: refused as usage, or all that was missed is counted."""
    done = flametap.run("record", "-p", python_process.pid, "-d", "0.3", "-r", "1000000", *flametap.into(tmp_path))
    if done.code == flametap.USAGE:
        return
    stats = flametap.recorded(tmp_path, done).stats
    assert 0.3e6 - 1 <= stats["ticks"] + stats["missed_ticks"] <= 0.3e6 + 1


@pytest.mark.parametrize("args", [
    [], ["nonsense"], ["record"], ["record", "-p"], ["record", "--"], ["dump"], ["report"], ["record", "-d", "1"],
])
def test_missing_arguments(args):
    err = refused(flametap.USAGE, *args)
    assert "--help" in err or "sage" in err


@pytest.mark.parametrize("args, meant", [(["recrod"], "record"), (["record", "--duraton", "1", "-p", "1"], "--duration"),
                                         (["dump", "--natve", "1"], "--native"), (["--verison"], "--version")])
def test_a_misspelt_word(args, meant):
    assert "did you mean %s?" % meant in refused(flametap.USAGE, *args)


def test_a_pid_needs_no_option(python_process, tmp_path):
    assert json.loads(flametap.run("dump", python_process.pid, "--json").out)["pid"] == python_process.pid
    done = flametap.run("record", python_process.pid, "-d", "0.2", *flametap.into(tmp_path))
    assert flametap.recorded(tmp_path, done).stats["ticks"] > 0
    refused(flametap.USAGE, "record", python_process.pid, "--", "true")
    refused(flametap.USAGE, "dump", python_process.pid, python_process.pid)


def test_pid_and_command_together(python_process):
    refused(flametap.USAGE, "record", "-p", python_process.pid, "--", "true")


@pytest.mark.parametrize("args", [
    ["--help"], ["record", "--help"], ["dump", "--help"], ["report", "--help"], ["--version"], ["-V"], ["version"], ["help"],
    ["help", "record"],
])
def test_help_is_no_error(args):
    done = flametap.run(*args)
    assert done.code == flametap.DONE
    assert done.out.strip()


@pytest.mark.parametrize("where", ["no folder", "a folder"])
def test_unwritable_output_is_found_before_sampling(python_process, tmp_path, where):
    output = tmp_path / "absent" / "out.folded" if where == "no folder" else tmp_path
    # If it sampled first, it would not end while we wait for it.
    err = refused(flametap.FAILED, "record", "-p", python_process.pid, "-d", "3600", "-f", "folded", "-o", output)
    assert str(output) in err


@pytest.mark.parametrize("command", ["record", "report", "diff"])
def test_a_folder_as_output_is_told_to_be_one(python_process, recording, tmp_path, command):
    words = {"record": ["-p", python_process.pid, "-d", "30"], "report": [recording], "diff": [recording, recording]}
    err = refused(flametap.FAILED, command, *words[command], "-o", tmp_path)
    assert str(tmp_path) in err and "Is a directory" in err and "name a file in it" in err


def test_unwritable_stats(python_process, tmp_path):
    err = refused(flametap.FAILED, "record", "-p", python_process.pid, "-d", "0.2", "-f", "folded",
                  "-o", tmp_path / "out", "--stats", tmp_path / "absent" / "stats")
    assert "absent" in err


@pytest.mark.parametrize("command", [["record", "--push", "http://127.0.0.1:1", "--", "true"], ["serve"]],
                         ids=["record", "serve"])
def test_a_token_that_cannot_be_read(tmp_path, command):
    for file, reason in ((tmp_path / "absent", "No such file"), (tmp_path, "Is a directory")):
        err = refused(flametap.FAILED, command[0], "--token-file", file, *command[1:])
        assert str(file) in err and reason in err and "--help" not in err


@pytest.mark.parametrize("format", ["folded", "svg", "json", "speedscope", "pprof"])
def test_full_device(python_process, format):
    err = refused(flametap.FAILED, "record", "-p", python_process.pid, "-d", "0.2", "-f", format, "-o", "/dev/full")
    assert "No space left" in err and "/dev/full" in err


def test_full_disk_loses_nothing(usual_python, start, tmp_path):
    """The stacks of tangle.py take more room than there is: as json, not as a journal, which is kept then."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a small file system")
    target = start(usual_python, "tangle.py", env={"TMPDIR": str(tmp_path)})
    target.says()
    small = tmp_path / "small"
    small.mkdir()
    script = ('mount -t tmpfs -o size=8k none "$1" && "$2" record -p "$3" -d 0.5 -f json -o "$1/out.json"; '
              'echo $?; ls "$1"; "$2" report "$1/out.json.partial.ftap" -f folded --mode wall -o -')
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", small, flametap.binary(),
                           str(target.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    err = done.stderr.decode()
    code, left, *stacks = done.stdout.decode().splitlines()
    assert (code, left) == (str(flametap.FAILED), "out.json.partial.ftap"), err
    assert "No space left" in err and "flametap report" in err and left in err
    assert len(stacks) > 3


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b"[]", b'{"version": 1}', b"\x00" * 1000, b"{" * 100000])
def test_report_of_something_else(tmp_path, content):
    path = tmp_path / "recording.json"
    path.write_bytes(content)
    err = refused(flametap.FAILED, "report", path, "-f", "folded", "-o", tmp_path / "out")
    assert str(path) in err
    assert not (tmp_path / "out").exists()


def test_report_of_nothing(tmp_path):
    err = refused(flametap.FAILED, "report", tmp_path / "absent.json", "-f", "folded", "-o", "-")
    assert "absent.json" in err


def test_doctor(python_process):
    done = flametap.run("doctor", python_process.pid)
    assert done.code == flametap.DONE, done
    assert flametap.run("doctor").code == flametap.DONE
    assert flametap.run("doctor", largest_pid()).code == flametap.NO_SUCH_PROCESS


@pytest.mark.parametrize("args, words", [
    (["record", "--native", "--no-pause", "-p", "1"], ["--native", "--no-pause", "stopped"]),
    (["record", "--inlines", "-p", "1"], ["--inlines", "--native"]),
    (["dump", "--inlines", "-p", "1"], ["--inlines", "--native"]),
    (["record", "--native=half", "-p", "1"], ["half", "--native=full"]),
    (["dump", "--native=half", "-p", "1"], ["half", "--native=full"]),
])
def test_native_options_that_do_not_go_together(args, words):
    said = refused(flametap.USAGE, *args)
    assert all(word in said for word in words), said

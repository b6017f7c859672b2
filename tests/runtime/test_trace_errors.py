"""What `flametap trace` cannot do it refuses, with the right exit code, the reason and the remedy."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

import flametap
import markers
import tracing
from target import PATIENCE_S, TARGETS

NOT_FOUND, NOT_EXECUTABLE = 127, 126


def refused(code, *args, **options):
    """Runs `flametap trace`, which must fail with that code, on stderr alone; gives what it says."""
    done = flametap.run("trace", *args, **options)
    assert done.code == code, done
    assert done.out == b""
    assert done.err.strip()
    return done.err


@pytest.fixture
def waiting(start, tmp_path):
    """Starts an interpreter that does nothing."""
    script = tmp_path / "waits.py"
    script.write_text(markers.WAITS)

    def begin(python):
        target = start(python, script)
        target.says()
        return target

    return begin


@pytest.fixture
def empty(tmp_path):
    """A folder that must stay empty."""
    folder = tmp_path / "empty"
    folder.mkdir()
    yield folder
    assert os.listdir(folder) == []


@pytest.fixture
def no_python():
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


class Nobody:
    """flametap as a user without any rights; `folder` is open to all, unlike those of pytest."""

    def __init__(self, folder):
        self.folder = folder
        self._binary = shutil.copy(flametap.binary(), folder / "flametap")

    def run(self, *args):
        return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self._binary, "trace",
                               *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder)


@pytest.fixture
def nobody(public_folder):
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    return Nobody(public_folder)


@pytest.mark.parametrize("what", [["--all"], ["--top", "--all", "--batch"], ["--all", "--events", "gc", "--summary"], ["--", "true"]],
                         ids=["events", "top", "summary", "command"])
def test_without_rights(nobody, what):
    done = nobody.run(*what)
    assert done.returncode == flametap.NOT_PERMITTED, done
    assert done.stdout == b""
    assert b"CAP_" in done.stderr and b"sudo" in done.stderr


@pytest.mark.parametrize("name", ["trace.jsonl", "trace.ftap"])
def test_without_rights_nothing_is_written(nobody, usual_call_python, waiting, name):
    target = waiting(usual_call_python)
    done = nobody.run("-p", target.pid, "-o", name)
    assert done.returncode == flametap.NOT_PERMITTED, done
    assert os.listdir(nobody.folder) == ["flametap"]
    assert target.is_left_alone()


@pytest.mark.usefixtures("ebpf")
def test_without_capabilities(usual_call_python, waiting, empty):
    """Being root is not enough in a container that was given none."""
    target = waiting(usual_call_python)
    err = refused(flametap.NOT_PERMITTED, "-p", target.pid, "-o", empty / "trace",
                  wrap=["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"])
    assert "CAP_" in err
    assert target.is_left_alone()


def test_no_such_process(empty):
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert str(ended.pid) in refused(flametap.NO_SUCH_PROCESS, "-p", ended.pid, "-o", empty / "trace")
    assert str(ended.pid) in refused(flametap.NO_SUCH_PROCESS, "--top", "-p", ended.pid)


def test_one_of_several_is_no_process(usual_call_python, waiting, empty):
    ended = subprocess.Popen(["true"])
    ended.wait()
    target = waiting(usual_call_python)
    refused(flametap.NO_SUCH_PROCESS, "-p", target.pid, "-p", ended.pid, "-o", empty / "trace")
    assert target.is_left_alone()


@pytest.mark.usefixtures("ebpf")
@pytest.mark.parametrize("how", [[], ["--top"], ["--events", "gc"]], ids=["events", "top", "gc"])
def test_without_markers(unmarked_python, waiting, how):
    target = waiting(unmarked_python)
    assert not markers.of_process(target.pid)
    err = refused(flametap.NOT_PYTHON, *how, "-p", target.pid)
    assert "--with-dtrace" in err and "flametap record -p %d" % target.pid in err
    assert target.is_left_alone()


@pytest.mark.usefixtures("ebpf")
def test_a_command_without_markers(unmarked_python, tmp_path):
    err = refused(flametap.NOT_PYTHON, "--", *unmarked_python.command, "-c", "open(%r, 'w')" % str(tmp_path / "ran"),
                  env=unmarked_python.environment())
    assert "--with-dtrace" in err
    assert not (tmp_path / "ran").exists()


@pytest.mark.usefixtures("ebpf")
@pytest.mark.parametrize("name", ["trace.txt", "trace.ftap"])
@pytest.mark.parametrize("what", ["no markers", "no Python", "no command"])
def test_where_nothing_is_traced_nothing_is_written(no_python, empty, what, name):
    """And an older file stays."""
    words = {"no markers": ["-p", no_python.pid], "no Python": ["--", "true"], "no command": ["--", "/nowhere/at/all"]}
    code = NOT_FOUND if what == "no command" else flametap.NOT_PYTHON
    out = empty / name
    refused(code, "-o", out, *words[what])
    assert not out.exists()
    out.write_text("older")
    refused(code, "-o", out, *words[what])
    assert out.read_text() == "older"
    out.unlink()


@pytest.mark.usefixtures("ebpf")
def test_a_command_that_is_no_python():
    assert "no Python" in refused(flametap.NOT_PYTHON, "--", "true")


@pytest.mark.usefixtures("ebpf")
def test_a_process_that_is_no_python(no_python):
    assert "record" in refused(flametap.NOT_PYTHON, "-p", no_python.pid)


@pytest.mark.usefixtures("ebpf")
def test_what_a_version_cannot_tell(marked_minor_python, waiting):
    """From 3.12 to 3.14 there are no markers of calls, up to 3.15 none of lines; it says what can be had instead."""
    names = {marker.name for marker in tracing.markers_in(tracing.marked_file(marked_minor_python))}
    available = [event for event, these in tracing.EVENT_MARKERS.items() if set(these) <= names]
    needed = {"call": [["--events", "call"], ["--events", "gc", "--within", "main"], ["--top"]],
              "line": [["--events", "line"]]}
    target = waiting(marked_minor_python)
    for event, ways in needed.items():
        for options in ways if event not in available else []:
            err = refused(flametap.NOT_PYTHON, *options, "-p", target.pid)
            assert "--events " + ",".join(available) in err
    assert target.is_left_alone()


@pytest.mark.usefixtures("ebpf")
@pytest.mark.parametrize("name", ["trace.txt", "trace.ftap", "trace.json"])
def test_an_output_that_cannot_be_written(usual_call_python, waiting, tmp_path, name):
    target = waiting(usual_call_python)
    out = tmp_path / "no such folder" / name
    assert str(out) in refused(flametap.FAILED, "-p", target.pid, "-o", out)
    assert target.is_left_alone()


@pytest.mark.usefixtures("ebpf")
@pytest.mark.parametrize("how", [["--format", "jsonl"], ["--format", "tree"], ["--format", "chrome"], ["--summary"]],
                         ids=lambda how: how[-1].strip("-"))
def test_a_full_disk(usual_call_python, how):
    err = refused(flametap.FAILED, *how, "-o", "/dev/full", "--", *usual_call_python.command, "-c", "print",
                  env=usual_call_python.environment())
    assert "No space left on device" in err


@pytest.mark.usefixtures("ebpf")
def test_a_full_disk_for_the_table_of_calls(usual_call_python, waiting):
    target = waiting(usual_call_python)
    with open("/dev/full", "wb") as full:
        done = flametap.run("trace", "--top", "--batch", "-p", target.pid, "-d", 0.1, stdout=full)
    assert done.code == flametap.FAILED, done
    assert "No space left on device" in done.err
    assert target.is_left_alone()


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.usefixtures("ebpf")
@pytest.mark.parametrize("name", ["trace.ftap", "trace.jsonl"])
def test_a_file_that_cannot_grow(usual_call_python, start, tmp_path, name):
    """The target goes on, and the reason is said."""
    # Python ignores SIGXFSZ, and so do those who inherit that.
    target, process = tracing.start_attached(start, usual_call_python, [TARGETS / "calls.py", "plain", 50],
                                             tmp_path / name, ["call"], preexec_fn=small_files, restore_signals=False)
    done = flametap.finish(process)
    assert done.code == flametap.FAILED, done
    assert "File too large" in done.err
    assert target.reap() == 0


@pytest.mark.usefixtures("ebpf")
@pytest.mark.parametrize("out", ["/dev/full", "/dev/stdout", "/dev/null"])
def test_a_recording_that_is_no_file(usual_call_python, waiting, tmp_path, out):
    """It is refused, not thrown away."""
    target = waiting(usual_call_python)
    folder = set(os.listdir(tmp_path))
    err = refused(flametap.USAGE, "-p", target.pid, "-d", 0.1, "--format", "ftap", "-o", out,
                  env={**os.environ, "TMPDIR": str(tmp_path)})
    assert out in err
    assert set(os.listdir(tmp_path)) == folder


@pytest.mark.usefixtures("ebpf")
def test_nobody_reads_it(usual_call_python, start, counters):
    target = start(usual_call_python, "alternate.py", counters.path, 20)
    target.says()
    process = flametap.start("trace", "-p", target.pid)
    assert process.stdout.readline()
    process.stdout.close()
    # It ends by itself at the next event.
    done = flametap.Run(process.wait(PATIENCE_S), b"", process.stderr.read())
    process.stderr.close()
    assert done.code == flametap.DONE, done
    assert "Broken pipe" not in done.err
    counters.wait_for_progress()
    assert target.is_left_alone()


@pytest.mark.parametrize("words, reason", [
    (["--function", "("], "regular expression"), (["--file", "["], "regular expression"),
    (["--thread", "*"], "regular expression"), (["--events", "calls"], "'calls'"), (["--format", "svg"], "'svg'"),
    (["--min-duration", "x"], "'x'"), (["-d", "-1"], "-1"), (["--nonsense"], "--nonsense"), (["--limit", "3"], "--top"),
    (["--within", "n" * 200], "too long"), (["--buffer", "3"], "power of two"), (["--format", "ftap"], "-o"),
], ids=lambda value: " ".join(value)[:20] if isinstance(value, list) else "")
def test_words_that_mean_nothing(usual_call_python, waiting, words, reason):
    target = waiting(usual_call_python)
    assert reason in refused(flametap.USAGE, "-p", target.pid, *words)
    assert target.is_left_alone()


@pytest.mark.parametrize("words", [[], ["--all", "-p", "1"], ["prog.py"], ["--"], ["--top", "--", "true"],
                                   ["--list", "-p", "1"], ["--list", "--", "true"],
                                   ["--tapset", "/usr/bin/python3", "-p", "1"]],
                         ids=lambda words: " ".join(words) or "nothing")
def test_too_little_or_too_much(words):
    assert "flametap trace --help" in refused(flametap.USAGE, *words)


@pytest.mark.usefixtures("ebpf")
def test_a_command_that_does_not_exist(tmp_path):
    assert "nowhere" in refused(NOT_FOUND, "--", tmp_path / "nowhere")


@pytest.mark.usefixtures("ebpf")
def test_a_command_that_is_no_program(tmp_path):
    (tmp_path / "text").write_text("text")
    assert "text" in refused(NOT_EXECUTABLE, "--", tmp_path / "text")

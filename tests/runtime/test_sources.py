"""`record --sources`: the program's own files in the recording, as they were while it ran."""

import json
import os
import subprocess
import sys

import pytest

import flametap

# It works until it is told to end.
PROGRAM = ("# coding: utf-8\nimport os, sys, helper\ndef work():\n    return helper.total(1000)\n"
           "while not os.path.exists(sys.argv[1]): work()\n")
HELPER = "# coding: latin-1\n# caf\xe9\ndef total(n):\n    return sum(range(n))\n"


@pytest.fixture
def program(tmp_path):
    (tmp_path / "shop.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_bytes(HELPER.encode("latin-1"))
    return tmp_path / "shop.py"


def record(python, program, output, *options):
    told = program.with_name("told")
    process = flametap.start("record", *options, "-o", output, "--", *python.command, program, told, env=python.environment())
    flametap.wait_until_it_holds(process, flametap.journal_of(output), lambda recording: "total" in flametap.functions_of(recording), "total")
    told.touch()
    done = flametap.finish(process)
    assert done.code == flametap.DONE, done
    return done


def sources(path):
    """{path: text} of any recording that flametap reads."""
    done = flametap.run("report", path, "-f", "json")
    assert done.code == flametap.DONE, done
    recording = json.loads(done.out)
    kept = recording.get("sources", {"path": [], "text": []})
    return {recording["strings"][path]: text for path, text in zip(kept["path"], kept["text"])}


@pytest.mark.parametrize("ending", ["ftap", "json", "html"])
def test_own_files_are_in_the_recording(usual_python, program, tmp_path, ending):
    output = tmp_path / ("out." + ending)
    record(usual_python, program, output, "--sources")
    kept = sources(output)
    assert kept[str(program)] == PROGRAM
    assert kept[str(tmp_path / "helper.py")] == HELPER, "Latin-1 became UTF-8"
    assert all("-packages/" in path for path in kept if "/lib/python" in path), "not those of the standard library"
    again = tmp_path / "again.html"
    assert flametap.run("report", output, "-o", again).code == flametap.DONE
    assert sources(again) == kept


def own(path):
    """The same without libraries, which some interpreters import by themselves."""
    return {name for name in sources(path) if "-packages/" not in name}


def test_none_are_unless_asked_for(usual_python, program, tmp_path):
    output = tmp_path / "out.ftap"
    record(usual_python, program, output)
    assert sources(output) == {}


def test_one_that_was_changed_meanwhile_is_left_out_and_counted(usual_python, program, tmp_path):
    program.write_text(PROGRAM + "os.utime(__file__, (4e9, 4e9))\n")
    output = tmp_path / "out.ftap"
    done = record(usual_python, program, output, "--sources")
    assert own(output) == {str(tmp_path / "helper.py")}
    assert "sources_left_out" in done.err


def test_large_ones_are_left_out(usual_python, program, tmp_path):
    (tmp_path / "helper.py").write_text("#" * (1 << 20) + "\ndef total(n):\n    return sum(range(n))\n")
    output = tmp_path / "out.ftap"
    done = record(usual_python, program, output, "--sources")
    assert own(output) == {str(program)}
    assert "sources_left_out" in done.err


def test_of_a_process_that_goes_on(usual_python, start, counters, tmp_path):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    output = tmp_path / "out.ftap"
    flametap.record_until(output, lambda recording: "loop" in flametap.functions_of(recording), "its loop",
                          "-p", target.pid, "--sources", cwd="/")
    (path,) = [path for path in sources(output) if path.endswith("alternate.py")]
    assert "def " in sources(output)[path]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can read what the program cannot")
def test_a_program_gets_no_more_than_it_could_read_itself(tmp_path):
    """The program says where its source is: any path, also one that only we may read."""
    secret = tmp_path / "secret.py"
    secret.write_text("while True: len('only for root')\n")
    program = "print('ready', flush=True); exec(compile('while True: pass', %r, 'exec'))" % str(secret)
    nobody = 65534
    target = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, user=nobody, group=nobody,
                              extra_groups=[], cwd="/", start_new_session=True)
    try:
        assert target.stdout.readline() == b"ready\n"
        output = tmp_path / "out.json"
        flametap.record_until(output, lambda recording: str(secret) in recording["strings"], "its path",
                              "-p", target.pid, "--sources")
    finally:
        target.kill()
        target.wait()
    recording = json.loads(output.read_text())
    assert str(secret) in recording["strings"], "it was seen"
    assert "only for root" not in output.read_text()
    assert recording["recording"]["quality"]["more"]["sources_left_out"] == 1

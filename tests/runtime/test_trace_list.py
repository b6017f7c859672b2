"""`flametap trace --list` names the markers that readelf finds, of every interpreter, and says what can be had of them."""

import json
import os
import subprocess

import pytest

import flametap
import markers
import tracing


@pytest.fixture
def waiting(start, tmp_path):
    """Starts an interpreter that does nothing."""
    script = tmp_path / "waits.py"
    script.write_text(markers.WAITS)

    def begin(python):
        target = start(python, script)
        assert target.says() == {}
        return target

    return begin


def listed(*what):
    done = flametap.run("trace", "--list", *what, "--json")
    assert done.code == flametap.DONE, done
    return json.loads(done.out)["files"]


def places(file):
    """What was said of a file, in the shape of the oracle's answer."""
    return {
        marker["name"]: {
            (int(place["location"], 16), int(place["semaphore"], 16), place["arguments"]) for place in marker["places"]
        }
        for marker in file["markers"]
    }


def events(file):
    return [name for name, ability in file["events"].items() if ability["available"]]


def expected_events(python):
    """What a Debian build of that version gives."""
    minor = python.minor
    if tracing.aborts_when_armed(python):
        return ["gc", "import", "audit"]
    if minor < (3, 12):
        return ["call", "line", "gc", "import", "audit"]
    return ["gc", "import", "audit"] if minor < (3, 15) else ["call", "gc", "import", "audit"]


def test_a_process_has_the_markers_that_readelf_finds(python, waiting):
    target = waiting(python)
    expected = markers.of_process(target.pid)
    if not expected:
        done = flametap.run("trace", "--list", target.pid)
        assert done.code == flametap.NOT_PYTHON, done
        assert "its Python %s was built without markers" % python.version in done.err
        assert done.out == b""
        return
    files = listed(target.pid)
    assert {file["path"]: places(file) for file in files} == expected
    for file in files:
        assert file["version"] == python.version
        assert file["pids"] == [target.pid]
        assert events(file) == expected_events(python)
        assert all(ability["why"] for ability in file["events"].values() if not ability["available"])
        assert file["needs_arming"] == (python.minor == (3, 11) and not tracing.aborts_when_armed(python))
        assert os.path.samefile(file["open_path"], file["path"])


def test_a_file_has_the_markers_that_readelf_finds(python):
    path = python.command[-1]
    expected = markers.of_file(path)
    if not expected:
        done = flametap.run("trace", "--list", path)
        assert done.code == flametap.NOT_PYTHON, done
        assert "has no markers of Python" in done.err
        return
    (file,) = listed(path)
    assert places(file) == expected
    assert file["version"] is None and file["pids"] == []
    # Here the version is told by the name of the file.
    assert events(file) == expected_events(python)
    assert file["needs_arming"] == (python.minor == (3, 11) and not tracing.aborts_when_armed(python))


def test_the_offset_of_a_semaphore_is_where_it_is_in_the_file(marked_python):
    path = marked_python.command[-1]
    (file,) = listed(path)
    headers = subprocess.run(["readelf", "-SW", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    words = next(line for line in headers.splitlines() if " .probes " in line).partition(".probes")[2].split()
    address, offset = int(words[1], 16), int(words[2], 16)
    for place in (place for marker in file["markers"] for place in marker["places"]):
        assert int(place["semaphore_offset"], 16) - offset == int(place["semaphore"], 16) - address


def test_everywhere_each_file_stands_once_with_its_processes(system_python, waiting):
    one, two = waiting(system_python), waiting(system_python)
    (path,) = markers.of_process(one.pid)
    (file,) = [file for file in listed() if file["path"] == path]
    assert {one.pid, two.pid} <= set(file["pids"])
    assert places(file) == markers.of_file(path)


def test_everywhere_those_that_come_and_go_meanwhile_have_their_markers(system_python, waiting):
    (path,) = markers.of_process(waiting(system_python).pid)
    comes_and_goes = 'while read -t 0.001 _; [ $? -gt 128 ]; do "$0" -c pass; done'
    process = subprocess.Popen(["bash", "-c", comes_and_goes, system_python.command[0]], stdin=subprocess.PIPE)
    try:
        for _ in range(20):
            assert [bool(file["markers"]) for file in listed() if file["path"] == path] == [True]
    finally:
        process.communicate()


def test_everywhere_pythons_without_markers_are_named(shared_python, waiting):
    target = waiting(shared_python)
    if markers.of_process(target.pid):
        return
    (file,) = [file for file in listed() if target.pid in file["pids"]]
    assert file["markers"] == [] and events(file) == []
    assert file["version"] == shared_python.version
    assert "--with-dtrace" in file["events"]["call"]["why"]


def test_text_for_people(system_python, waiting):
    target = waiting(system_python)
    (path,) = markers.of_process(target.pid)
    done = flametap.run("trace", "--list", target.pid)
    assert done.code == flametap.DONE, done
    lines = done.out.decode().splitlines()
    assert lines[0] == "%s (Python %s, process %d)" % (path, system_python.version, target.pid)
    gc = next(line for line in lines if line.split()[:1] == ["gc__start"]).split()
    assert gc[1:5] == ["gc", "1", "yes", "generation"]
    assert any("can be traced: --events call" in line for line in lines)


def test_a_deleted_program(system_python, waiting, tmp_path):
    copy = tmp_path / "python3.11"
    copy.write_bytes(open(system_python.command[0], "rb").read())
    copy.chmod(0o755)
    process = subprocess.Popen([str(copy), "-c", markers.WAITS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"{}\n"
        copy.unlink()
        (file,) = listed(process.pid)
        assert places(file) == markers.of_file(system_python.command[0])
        assert os.path.samefile(file["open_path"], "/proc/%d/exe" % process.pid)
    finally:
        process.kill()
        process.communicate()


def test_no_such_process():
    ended = subprocess.Popen(["true"])
    ended.wait()
    for option in ("--list", "--tapset"):
        assert flametap.run("trace", option, ended.pid).code == flametap.NO_SUCH_PROCESS


def test_what_is_no_python():
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    try:
        for option in ("--list", "--tapset"):
            assert flametap.run("trace", option, process.pid).code == flametap.NOT_PYTHON
            assert flametap.run("trace", option, "/bin/cat").code == flametap.NOT_PYTHON
            assert flametap.run("trace", option, "/nowhere/at/all").code == flametap.FAILED
    finally:
        process.kill()
        process.communicate()

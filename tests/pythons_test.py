"""tools/pythons: what it lists really runs, and what it cannot have it names."""

import fcntl
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parent.parent / "tools" / "pythons"


def load_tool():
    loader = importlib.machinery.SourceFileLoader("pythons", str(TOOL))
    spec = importlib.util.spec_from_loader("pythons", loader)
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = written
    return module


@pytest.fixture(scope="module")
def tool():
    return load_tool()


@pytest.fixture
def bare_machine(tmp_path):
    """An environment without pyenv, without apt and with an empty cache: only /usr/bin's interpreters remain."""
    (tmp_path / "bin").mkdir()
    return {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def call(environment, *arguments):
    return subprocess.run(
        [sys.executable, str(TOOL), *arguments], env=environment, capture_output=True, text=True, check=False
    )


def test_every_listed_interpreter_is_started_by_its_command_itself():
    listed = json.loads(call(dict(os.environ), "list", "--json").stdout)
    assert listed
    for interpreter in listed:
        child = subprocess.Popen(
            [*interpreter["command"], "-c", "import os, sys; print(os.getpid()); print(sys.version.split()[0])"],
            env={**os.environ, **interpreter["env"]},
            stdout=subprocess.PIPE,
            text=True,
        )
        pid, version = child.communicate()[0].split()
        assert int(pid) == child.pid, interpreter["name"]
        assert version.rstrip("+") == interpreter["version"]


def test_names_are_unique_and_headers_are_there():
    listed = json.loads(call(dict(os.environ), "list", "--json").stdout)
    names = [interpreter["name"] for interpreter in listed]
    assert len(set(names)) == len(names)
    for interpreter in listed:
        assert interpreter["kind"] in ("static", "shared")
        assert interpreter["debug"] == ("-dbg" in interpreter["name"])
        if interpreter["include"]:
            assert Path(interpreter["include"], "pyconfig.h").exists()


def test_shims_and_second_names_are_not_listed(tool, tmp_path):
    shutil.copy(os.path.realpath(sys.executable), tmp_path / "python3.9")
    (tmp_path / "python3").symlink_to("python3.9")
    (tmp_path / "python3.10").write_text("#!/bin/sh\nexec python\n")
    (tmp_path / "python3-config").symlink_to("python3.9")
    assert tool.interpreter_files(tmp_path) == [tmp_path / "python3.9"]


def test_versions_are_sorted_as_numbers(tool, tmp_path):
    for name in ("python3.10", "python3.9", "python3.9-dbg"):
        shutil.copy("/bin/true", tmp_path / name)
    names = [path.name for path in tool.interpreter_files(tmp_path)]
    assert names == ["python3.9", "python3.9-dbg", "python3.10"]


def test_an_interpreter_that_does_not_run_is_named_with_the_reason(bare_machine):
    shutil.copy("/bin/false", Path(bare_machine["PATH"], "python3.9"))
    result = call(bare_machine, "list")
    assert result.returncode == 0
    assert "python3.9" in result.stderr and "exited with 1" in result.stderr
    assert "python3.9" not in result.stdout


def test_list_says_what_is_not_fetched(bare_machine):
    result = call(bare_machine)
    assert result.returncode == 0
    assert "debian bookworm: not fetched" in result.stderr
    assert "system-" in result.stdout


def test_a_fetch_that_gets_nothing_fails_and_says_why(bare_machine):
    result = call(bare_machine, "fetch")
    assert result.returncode == 1
    for suite in ("bullseye", "bookworm", "trixie", "forky"):
        assert f"debian {suite}: apt-get" in result.stderr
    assert not list(Path(bare_machine["XDG_CACHE_HOME"]).rglob(".new-*"))


def test_a_second_fetch_waits_for_the_first(bare_machine):
    cache = Path(bare_machine["XDG_CACHE_HOME"], "flametap", "pythons")
    cache.mkdir(parents=True)
    with open(cache / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = subprocess.Popen(
            [sys.executable, str(TOOL), "fetch"], env=bare_machine, stderr=subprocess.PIPE, text=True
        )
        assert "waiting" in second.stderr.readline()
        assert second.poll() is None
        fcntl.flock(lock, fcntl.LOCK_UN)
    assert "debian forky" in second.communicate()[1]


def test_packages_are_those_the_suite_has(tool):
    names = {"python3.11", "libpython3.11", "libpython3.11-dev", "python3.11-dbg", "python3.12", "python3.11-doc"}
    suite = tool.Suite("any", debug=("3.11", "3.12"))
    assert tool.wanted_packages(suite, names) == [
        "python3.11",
        "libpython3.11",
        "libpython3.11-dev",
        "python3.11-dbg",
        "python3.12",
    ]
    assert "python3.11-dbg" not in tool.wanted_packages(tool.Suite("any"), names)


def test_another_recipe_has_another_folder(tool):
    assert tool.Suite("any").folder != tool.Suite("any", debug=("3.11",)).folder


def test_equipment_that_is_not_there_is_named_with_the_remedy(bare_machine):
    result = call(bare_machine, "equipped", "--json")
    assert result.returncode == 0
    assert json.loads(result.stdout) == []
    assert "numpy for 3.13" in result.stderr


def test_equipment_runs_and_has_what_it_is_named_after():
    for interpreter in json.loads(call(dict(os.environ), "equipped", "--json").stdout):
        package = interpreter["name"].rpartition("-")[0]
        found = subprocess.run(
            [*interpreter["command"], "-m", "pip", "show", package], env={**os.environ, **interpreter["env"]},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert f"Name: {package}" in found.stdout, found.stderr

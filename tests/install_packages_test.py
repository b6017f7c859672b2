"""tools/install-packages: asks apt for what is missing only, and says what to do where it cannot."""

import os
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parent.parent / "tools" / "install-packages"


class Machine:
    """A PATH of stand-ins: a package is installed if `installed` has a file of its name; apt-get writes what it is told."""

    def __init__(self, folder):
        self.bin, self.installed, self.calls = folder / "bin", folder / "installed", folder / "calls"
        self.bin.mkdir()
        self.installed.mkdir()
        for name in ("mktemp", "rm", "cat", "env", "sh", "touch"):
            (self.bin / name).symlink_to(Path("/bin", name).resolve())
        self.program("dpkg-query", f'for name; do :; done; [ -e {self.installed}/"$name" ] && printf installed')

    def program(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def apt_get(self, text):
        self.program("apt-get", f'echo "$@" >> {self.calls}\n{text}')

    def install(self, *packages):
        return subprocess.run(
            ["/bin/bash", str(TOOL), *packages],
            env={"PATH": str(self.bin)},
            capture_output=True,
            text=True,
            check=False,
        )

    def verbs(self):
        return [line.split()[0] for line in self.calls.read_text().splitlines()] if self.calls.exists() else []


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root installs without sudo")


def test_apt_is_not_called_when_nothing_is_missing(machine):
    machine.apt_get("exit 1")
    (machine.installed / "cmake").touch()
    assert machine.install("cmake").returncode == 0
    assert machine.verbs() == []


@as_root
def test_only_what_is_missing_is_installed(machine):
    machine.apt_get("exit 0")
    (machine.installed / "cmake").touch()
    assert machine.install("cmake", "ninja-build").returncode == 0
    assert machine.verbs() == ["install"]
    assert machine.calls.read_text().split()[-1] == "ninja-build"
    assert "cmake" not in machine.calls.read_text().split()


@as_root
def test_lists_are_fetched_only_after_a_first_failure(machine):
    fetched = machine.bin.parent / "fetched"
    machine.apt_get(f'if [ "$1" = update ]; then touch {fetched}; else [ -e {fetched} ]; fi')
    assert machine.install("cmake").returncode == 0
    assert machine.verbs() == ["install", "update", "install"]


@as_root
def test_what_apt_says_is_shown_when_it_fails(machine):
    machine.apt_get("echo no such package >&2; exit 100")
    result = machine.install("cmake")
    assert result.returncode == 1
    assert "no such package" in result.stderr and "missing: cmake" in result.stderr


def test_without_apt_it_says_what_is_missing(machine):
    result = machine.install("cmake", "g++")
    assert result.returncode == 1
    assert "not Debian" in result.stderr and "missing: cmake g++" in result.stderr

"""Gets the peers: from PyPI and from Debian, into a folder that is kept, so that the second time is quick."""
import contextlib
import subprocess
import sys
from copy import copy as copy_of
from pathlib import Path

from peers.peer import Unavailable

ROOT = Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"  # the machine's own, whatever stands first in PATH


class Kit:
    """`interpreters` are those of tools/pythons."""

    def __init__(self, interpreters, folder=ROOT / "build/bench"):
        self.loaders = [each.command[:-1] for each in interpreters if not each.direct]
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.interpreters = [self.directly(each) for each in interpreters]

    @staticmethod
    def version_of(*command):
        return run([*command, "--version"], command[-1]).split()[-1]

    def from_pypi(self, package, program=None):
        """The path of a program that comes with a package."""
        environment = self.folder / "peers"
        path = environment / "bin" / (program or package)
        if not path.exists():
            if not (environment / "bin/pip").exists():
                run([PYTHON, "-m", "venv", str(environment)], "venv")
            run([str(environment / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", package], "pip")
        return str(path)

    def from_debian(self, package, program):
        """The path of a program that comes with a package of Debian's."""
        run([str(ROOT / "tools/install-packages"), package], "install-packages")
        return run(["sh", "-c", f"command -v {program}"], program).strip()

    def directly(self, interpreter):
        """The interpreter, but not started through a loader, which some peers take for the program itself."""
        if interpreter.direct:
            return interpreter
        loader, _, libraries, program = interpreter.command
        copy = self.folder / interpreter.name / Path(program).name
        if not copy.exists():
            copy.parent.mkdir(exist_ok=True)
            # RPATH, not RUNPATH, because that also holds for the libraries of extension modules.
            run([self.from_debian("patchelf", "patchelf"), "--set-interpreter", loader, "--force-rpath", "--set-rpath",
                 libraries, "--output", str(copy), program], "patchelf")
        direct = copy_of(interpreter)
        direct.command = [str(copy)]
        return direct

    def with_newest_libc(self, program):
        """The command that starts a program, with the C library of a fetched interpreter if it needs a newer one."""
        for loader in [[], *self.loaders]:
            with contextlib.suppress(Unavailable):
                self.version_of(*loader, program)
                return [*loader, program]
        raise Unavailable("needs a newer C library than this machine's: tools/pythons fetch brings one")


def run(command, what):
    """What it prints; Unavailable with its last words if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        words = [line for line in (done.stderr + done.stdout).splitlines() if line.strip() and "WARNING" not in line]
        raise Unavailable(f"{what}: {words[-1] if words else 'failed'}")
    return done.stdout


def gather(kinds, kit):
    """The peers that can be had, and the reasons why others cannot: {name: reason}."""
    peers, missing = [], {}
    for kind in kinds:
        try:
            peers.append(kind(kit))
        except Unavailable as reason:
            missing[kind.name] = str(reason)
        except OSError as failure:
            missing[kind.name] = f"does not run: {failure}"
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}", file=sys.stderr)
    return peers, missing

"""The markers of Python in ELF files, as binutils' readelf reads them."""

import functools
import re
import subprocess
from pathlib import Path

NOTE = re.compile(
    r"Provider: python\n\s+Name: (?P<name>\S+)\n\s+Location: (?P<location>\S+), Base: \S+, "
    r"Semaphore: (?P<semaphore>\S+)\n\s+Arguments: (?P<arguments>.*)\n"
)

# A script that says ready and lives until its standard input is closed, on every version of Python.
WAITS = "import sys\nprint('{}')\nsys.stdout.flush()\nsys.stdin.read()\n"


@functools.lru_cache(maxsize=None)
def of_file(path):
    """{name: {(location, semaphore, arguments)}}; empty if there are none."""
    text = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    found = {}
    for note in NOTE.finditer(text.decode(errors="replace") + "\n"):
        place = (int(note["location"], 16), int(note["semaphore"], 16), note["arguments"].strip())
        found.setdefault(note["name"], set()).add(place)
    return found


def mapped_files(pid):
    """Every file from which a process runs code."""
    lines = [line.split(maxsplit=5) for line in Path("/proc/%d/maps" % pid).read_text().splitlines()]
    return sorted({line[5] for line in lines if len(line) == 6 and "x" in line[1] and line[5].startswith("/")})


def of_process(pid):
    """{path: markers} of the files that have any."""
    return {path: of_file(path) for path in mapped_files(pid) if of_file(path)}

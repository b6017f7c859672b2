"""A free-threaded build is told as such, and refused: nothing is shown that may be wrong."""

import struct
import subprocess

import flametap
from test_layouts import PRINT_RUNTIME, ask

FLAG_AT = 16  # in _Py_DebugOffsets: the cookie, the version, then whether the build is free-threaded

PROGRAM = """
#include <unistd.h>
__attribute__((section(".PyRuntime"), used)) unsigned char _PyRuntime[] = {%s};
int main(void) { return write(1, "{}\\n", 3) == 3 ? pause() : 1; }
"""


def test_it_is_refused(self_described_python, start, tmp_path):
    description = bytearray(ask(self_described_python, PRINT_RUNTIME))
    struct.pack_into("=Q", description, FLAG_AT, 1)
    program = tmp_path / "python"
    source = PROGRAM % ",".join(map(str, description))
    subprocess.run(["cc", "-x", "c", "-", "-rdynamic", "-o", program], input=source.encode(), check=True)
    target = start(self_described_python, "picture.py", command=[program])
    target.says()
    done = flametap.run("dump", "-p", target.pid)
    assert done.code == flametap.NOT_PYTHON, done
    assert "free-threaded" in done.err

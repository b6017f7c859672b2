import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def bench_on_path():
    """Modules of bench/ and tests/runtime/ may have the same names: they are to be gone when others are tested."""
    before, path, written = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    sys.path.insert(0, str(ROOT / "bench"))
    sys.dont_write_bytecode = True
    yield
    sys.path[:], sys.dont_write_bytecode = path, written
    for name in set(sys.modules) - before:
        if str(ROOT / "bench") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]

"""Every C++ file is as clang-format writes it, with the .clang-format of this repository."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_clang_format_has_nothing_to_change():
    if not shutil.which("clang-format"):
        pytest.skip("clang-format is not installed")
    folders = [folder for folder in ("src", "tests", "bench", "tools") if (ROOT / folder).is_dir()]
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".cc", ".h")]
    result = subprocess.run(
        ["clang-format", "--dry-run", "-Werror", *files], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert result.returncode == 0, result.stderr[-20000:]

"""Includes point one way: a folder of src/ may include only from the folders that its row names.

Data flows from the target to the user, and a folder never knows what comes after it:

    samples  target -> cpython, native -> stack -> sampler -> profile -> format -> cli
    events   target -> bpf (in the kernel) -> tracer -> events, profile -> format -> cli
    serving  format, store -> server -> cli

ARCHITECTURE.md says what each folder knows.
"""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src"

EVERYTHING = "*"
ALLOWED = {
    "base": "",
    "stack": "base",
    "target": "base bpf",
    "cpython": "base target stack",
    "native": "base target stack",
    "profile": "base stack",
    "sampler": "base target cpython native stack profile",
    "events": "base",
    "bpf": "",
    "tracer": "base stack target cpython profile events bpf",
    "viewer": "base",
    "format": "base profile stack events viewer",
    "store": "base",
    "server": "base profile viewer format store",
    "cli": EVERYTHING,
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"', re.MULTILINE)


def sources(root):
    return sorted(path for path in root.rglob("*") if path.suffix in (".cc", ".h"))


def forbidden_includes(root, allowed):
    """One line of text for every include that the table does not allow."""
    complaints = []
    for path in sources(root):
        name = path.relative_to(root)
        folder = name.parts[0]
        if folder not in allowed:
            complaints.append(f"{name}: {folder} has no row in the table")
            continue
        row = allowed[folder]
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            complaint = judge(folder, row, included, root)
            if complaint:
                complaints.append(f"{name}: {complaint}")
    return complaints


def judge(folder, row, included, root):
    if "/" not in included or ".." in included or not (root / included).is_file():
        return f'"{included}" is not a full path from src/'
    other = included.split("/")[0]
    if other != folder and row != EVERYTHING and other not in row.split():
        return f'{folder} may not include "{included}"'
    return None


def test_every_include_points_to_an_allowed_folder():
    assert sources(SOURCE)
    complaints = forbidden_includes(SOURCE, ALLOWED)
    assert not complaints, "\n".join(complaints)


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_wrong_edge_is_found(tmp_path):
    write(tmp_path, "base/result.h", "#pragma once\n")
    write(tmp_path, "profile/profile.h", '#include "base/result.h"\n')
    write(tmp_path, "base/wrong.cc", '#include <string>\n  #  include "profile/profile.h"\n')
    allowed = {"base": "", "profile": "base"}
    assert forbidden_includes(tmp_path, allowed) == ['base/wrong.cc: base may not include "profile/profile.h"']


def test_the_last_row_may_include_everything(tmp_path):
    write(tmp_path, "base/result.h", "")
    write(tmp_path, "cli/main.cc", '#include "base/result.h"\n')
    assert forbidden_includes(tmp_path, {"base": "", "cli": EVERYTHING}) == []


def test_a_short_path_is_found(tmp_path):
    write(tmp_path, "base/result.h", "")
    write(tmp_path, "base/result.cc", '#include "result.h"\n')
    assert forbidden_includes(tmp_path, {"base": ""}) == ['base/result.cc: "result.h" is not a full path from src/']


def test_a_path_that_climbs_is_found(tmp_path):
    write(tmp_path, "base/result.h", "")
    write(tmp_path, "target/maps.h", "")
    write(tmp_path, "base/wrong.cc", '#include "base/../target/maps.h"\n')
    assert len(forbidden_includes(tmp_path, {"base": "", "target": "base"})) == 1


def test_a_new_folder_needs_a_row(tmp_path):
    write(tmp_path, "web/page.cc", "")
    assert forbidden_includes(tmp_path, {"base": ""}) == ["web/page.cc: web has no row in the table"]

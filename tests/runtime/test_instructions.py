"""How many instructions of ours a sample takes: bench/instructions holds them against the figures that are committed.

Nothing here is timed, and no target runs: samples are taken of recorded memory of real interpreters.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import flametap
from pythons import REPOSITORY

TOOL = REPOSITORY / "bench" / "instructions"
FIGURES = REPOSITORY / "bench" / "instructions.txt"
IMAGES = sorted((REPOSITORY / "bench" / "images").glob("*.image"))
OTHER_COMPILER = 3
PLAIN_BYTES_WORD = 8  # with which an image begins


def replay():
    program = Path(flametap.binary()).with_name("flametap_replay")
    if not program.exists():
        pytest.skip("%s was not built (FLAMETAP_BENCHMARKS)" % program.name)
    return str(program)


def compare(*images, figures=FIGURES):
    """The exit code of bench/instructions and what it said; skips the test where it has nothing to compare."""
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    done = subprocess.run([str(TOOL), *images], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, FLAMETAP_REPLAY=replay(), FLAMETAP_FIGURES=str(figures)))
    said = done.stdout.decode()
    if done.returncode == OTHER_COMPILER:
        pytest.skip(said.strip())
    return done.returncode, said


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_a_sample_is_one_reading_and_no_allocation(image):
    said = subprocess.run([replay(), str(image)], check=True, stdout=subprocess.PIPE).stdout.decode()
    steps = {words[0]: list(map(int, words[1:])) for words in map(str.split, said.splitlines())}
    for step in ("riding", "free"):
        samples, readings, _, _, allocations = steps[step]
        assert (readings, allocations) == (samples, 0), step


@pytest.mark.parametrize("image", [path.stem for path in IMAGES])
def test_a_sample_takes_as_many_instructions_as_ever(image):
    code, said = compare(image)
    assert code == 0, said


def test_more_instructions_are_noticed(tmp_path):
    figures = tmp_path / "figures"
    rows = [line.split() for line in FIGURES.read_text().splitlines()]
    figures.write_text("\n".join(
        " ".join(row if row[0] == "#" else [*row[:2], str(int(int(row[2]) * 0.93)), *row[3:]]) for row in rows))
    code, said = compare(IMAGES[0].stem, figures=figures)
    assert code == 1, said
    assert said.count("instructions, expected") == said.count("OFF") == 3


def test_every_image_has_figures():
    rows = [line.split()[0] for line in FIGURES.read_text().splitlines() if not line.startswith("#")]
    assert set(rows) == {path.stem for path in IMAGES}


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_an_image_says_nothing_about_the_machine_it_is_from(image):
    compressed = image.read_bytes()[PLAIN_BYTES_WORD:]
    plain = subprocess.run(["zstd", "-dc"], input=compressed, check=True, stdout=subprocess.PIPE).stdout
    assert b"/srv/app/part0.py" in plain
    for width in (1, 2, 4):
        for text in ("/root/", "/home/", "/usr/", "/tmp/", "pyenv"):
            assert text.encode({1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[width]) not in plain

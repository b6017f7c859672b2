"""`flametap diff`: what changed from one recording to another."""

import base64
import re

import pytest

import flametap

BEFORE = "main (/a.py:1);f (/a.py:5) 75\nmain (/a.py:1);g (/a.py:9) 25\n"
AFTER = "main (/a.py:2);f (/a.py:6) 500\nmain (/a.py:2);g (/a.py:10) 300\nmain (/a.py:2);h (/a.py:14) 200\n"


@pytest.fixture
def files(tmp_path):
    before, after = tmp_path / "before.folded", tmp_path / "after.folded"
    before.write_text(BEFORE)
    after.write_text(AFTER)
    return before, after


def diff(*args):
    """What a diff that must succeed prints; there must be no warning."""
    done = flametap.run("diff", *args)
    assert done.code == flametap.DONE, done
    assert "warning" not in done.err, done
    return done.out.decode()


def rows(text):
    """{function: six numbers} of the table."""
    found = re.findall(r"^" + r" *([-+\d.]+)" * 6 + r"  (\S+)", text, re.MULTILINE)
    return {row[6]: [float(number) for number in row[:6]] for row in found}


def test_the_table_is_of_shares(files):
    text = diff(*files)
    assert list(rows(text)) == ["f", "h", "g"], "the largest change first, and not those that have none"
    assert rows(text) == {"f": [75, 50, -25, 75, 50, -25], "h": [0, 20, 20, 0, 20, 20], "g": [25, 30, 5, 25, 30, 5]}
    before, after = text.splitlines()[:2]
    assert before.startswith("before: ") and "before.folded" in before and "100 samples" in before
    assert after.startswith("after: ") and "after.folded" in after and "1,000 samples" in after


def test_as_many_functions_as_asked_for(files):
    assert list(rows(diff(*files, "--limit", 1))) == ["f"]


def test_a_recording_does_not_differ_from_itself(recording):
    assert "no function's share of the time changed" in diff(recording, recording)


def test_folded_lines_have_both_counts_at_one_scale(files):
    lines = diff(*files, "-f", "folded").splitlines()
    assert lines == ["main (/a.py);f (/a.py) 750 500", "main (/a.py);g (/a.py) 250 300", "main (/a.py);h (/a.py) 0 200"]


def test_a_page_has_both_recordings_in_order(recording, files, tmp_path):
    page = tmp_path / "diff.html"
    assert diff(recording, files[1], "-o", page) == ""
    found = re.findall(r'<script type="application/x-flametap" data-name="([^"]*)">([^<]*)<', page.read_text())
    assert [name for name, _ in found] == [recording.name, files[1].name]
    assert all(base64.b64decode(text).startswith(b"\x89FTAP") for _, text in found)
    first = tmp_path / "first.ftap"
    first.write_bytes(base64.b64decode(found[0][1]))
    assert "no function" in diff(recording, first)


@pytest.mark.parametrize("mode", ["wall", "cpu", "gil"])
def test_the_mode_that_is_asked_for_is_shown_and_the_page_opens_in_it(recording, tmp_path, mode):
    text = diff(recording, recording, "--mode", mode)
    assert [line.count(mode + " mode") for line in text.splitlines()[:2]] == [1, 1], text
    page = tmp_path / "diff.html"
    diff(recording, recording, "--mode", mode, "-o", page)
    assert re.findall(r'data-name="[^"]*" data-mode="([^"]*)"', page.read_text()) == [mode, mode]


def test_both_are_taken_in_the_mode_that_both_have(recording, tmp_path):
    narrow = tmp_path / "gil.json"
    done = flametap.run("report", recording, "--mode", "gil", "-o", narrow)
    assert done.code == flametap.DONE, done
    text = diff(recording, narrow)
    assert [line.count("gil mode") for line in text.splitlines()[:2]] == [1, 1]
    assert "no function's share of the time changed" in text
    done = flametap.run("diff", recording, narrow, "--mode", "wall")
    assert done.code == flametap.USAGE, done
    assert "gil.json" in done.err and "--mode wall" in done.err


@pytest.mark.parametrize("words, reason", [
    (["-f", "svg"], "cannot be written as svg"),
    (["-o", "diff.pb.gz"], "cannot be written as pprof"),
    (["--limit", "0"], "--limit"),
    (["--mode", "x"], "'x'"),
])
def test_wrong_words(files, words, reason):
    done = flametap.run("diff", *files, *words)
    assert done.code == flametap.USAGE, done
    assert reason in done.err


def test_wrong_files(files, tmp_path):
    done = flametap.run("diff", files[0])
    assert done.code == flametap.USAGE and "AFTER" in done.err, done
    done = flametap.run("diff", files[0], tmp_path / "none")
    assert done.code == flametap.FAILED and "none" in done.err, done
    done = flametap.run("diff", "-", "-")
    assert done.code == flametap.USAGE and "standard input" in done.err, done

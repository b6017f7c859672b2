"""`flametap report` reads what it and other profilers wrote, converts it and merges it; it loses nothing in silence."""

import collections
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chrome_trace
import flametap

GOLDEN = flametap.REPOSITORY / "tests" / "golden"


def report(*args, **options):
    """What a report that must succeed prints; there must be no warning."""
    done = flametap.run("report", *args, **options)
    assert done.code == flametap.DONE, done
    assert "warning" not in done.err, done
    return done.out.decode()


def convert(path, format, *args):
    return report(path, "-f", format, "-o", "-", *args)


def times(path, *args):
    """{names from the root on: nanoseconds} of any recording, by its JSON."""
    recording = json.loads(convert(path, "json", *args))
    stacks = [tuple(frame.name for frame in stack) for stack in flametap.stacks_of(recording)]
    total = collections.Counter()
    for stack, weight in zip(recording["samples"]["stack"], recording["samples"]["weight_ns"]):
        total[stacks[stack]] += weight
    return total


def ticks(path, *args):
    """Of all samples of a recording, by its JSON."""
    return sum(json.loads(convert(path, "json", *args))["samples"]["ticks"])


@pytest.mark.parametrize("options", [[], ["-f", "folded", "-o", "-"], ["-f", "json"]], ids=["table", "folded", "json"])
def test_that_nobody_reads_on_is_no_failure(options):
    """As in `flametap report FILE | head`."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = flametap.run("report", GOLDEN / "profile.json", *options, stdout=write_end)
    finally:
        os.close(write_end)
    assert (done.code, done.err) == (flametap.DONE, "")


def test_chrome_of_a_recording(recording):
    """The slices nest, are of stacks that were sampled, and together take no longer than the only thread had."""
    text = convert(recording, "chrome")
    shown = chrome_trace.self_times(text)
    assert shown and set(shown) <= set(times(recording, "--mode", "cpu"))
    (spans,) = chrome_trace.slices(text).values()
    assert sum(shown.values()) <= max(end for _, end, _ in spans) - min(start for start, _, _ in spans)


def test_cpuprofile_of_a_recording(recording):
    shown = chrome_trace.CpuProfile(convert(recording, "cpuprofile"))
    sampled = times(recording, "--mode", "cpu")
    assert {names for names in shown.self_us if names != ("(idle)",)} == set(sampled)
    assert shown.hits == ticks(recording, "--mode", "cpu")


@pytest.mark.parametrize("mode", ["wall", "cpu", "gil"])
def test_chrome_and_cpuprofile_of_threads(mode):
    """Of a recording with several processes and threads, hostile names and idle times."""
    golden = GOLDEN / "profile.json"
    tracks = chrome_trace.slices(convert(golden, "chrome", "--mode", mode))
    assert len({pid for pid, _ in tracks}) == 2
    idle = any("(idle)" in names for spans in tracks.values() for _, _, names in spans)
    assert idle == (mode == "wall")
    profile = chrome_trace.CpuProfile(convert(golden, "cpuprofile", "--mode", mode))
    assert profile.hits == ticks(golden, "--mode", mode)


@pytest.mark.parametrize("format", ["speedscope", "pprof", "folded"])
def test_what_flametap_wrote_reads_back(recording, tmp_path, format):
    written = tmp_path / "written"
    assert report(recording, "-f", format, "-o", written) == ""
    assert convert(written, "folded") == convert(recording, "folded")
    if format != "folded":
        assert times(written) == times(recording, "--mode", "cpu")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(written.read_bytes()))
    if format != "pprof":
        assert convert(packed, "folded") == convert(recording, "folded")


def test_damage_is_told(tmp_path):
    path = tmp_path / "damaged.folded"
    path.write_text("main;f 3\nmain;g\nmain;h 4\noops\n")
    done = flametap.run("report", path, "-f", "folded", "-o", "-")
    assert done.code == flametap.DONE, done
    assert done.out.decode() == "main;f 3\nmain;h 4\n"
    told = r"^flametap: warning: .*damaged.folded: 2 lines were not understood, the first is line 2"
    assert re.search(told, done.err)


def test_a_file_that_is_no_profile_is_refused(tmp_path):
    source = tmp_path / "source.py"
    source.write_bytes(Path(__file__).read_bytes() + b"a 1\nb 2\n")
    for path, reason in (("/bin/ls", "NUL bytes"), (source, "no folded stacks")):
        done = flametap.run("report", path, "-f", "folded", "-o", "-")
        assert done.code == flametap.FAILED and done.out == b"", done
        assert reason in done.err and "cannot read %s" % path in done.err and "speedscope" in done.err, done.err


def test_standard_input(tmp_path):
    path = tmp_path / "one.folded"
    path.write_text("main;f 3\n")
    with path.open() as stdin:
        assert report("-", "-f", "folded", "-o", "-", stdin=stdin) == "main;f 3\n"


def test_several_files_are_merged(recording, tmp_path):
    golden = GOLDEN / "profile.json"
    merged = tmp_path / "merged.json"
    report(recording, golden, "-o", merged)
    parts = [json.loads(path.read_text()) for path in (recording, golden)]
    whole = json.loads(merged.read_text())
    assert len(whole["processes"]) == sum(len(part["processes"]) for part in parts)
    assert len(whole["threads"]) == sum(len(part["threads"]) for part in parts)
    for column in ("ticks", "weight_ns"):
        assert sum(whole["samples"][column]) == sum(sum(part["samples"][column]) for part in parts)
    assert whole["recording"]["start_unix_ns"] == min(part["recording"]["start_unix_ns"] for part in parts)
    quality = [part["recording"]["quality"] for part in parts]
    assert whole["recording"]["quality"]["torn"] == sum(each["torn"] for each in quality)
    assert whole["recording"]["quality"]["more"]["recordings"] == 2
    table = report(recording, golden)
    assert str(recording) in table and str(golden) in table and "2 recordings" in table
    assert table.count("self %") == 1


def test_merged_files_of_other_tools_share_their_stacks(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("main (/a.py:1);f (/a.py:2) 3\n")
    other.write_text("/a.py:main:1;/a.py:f:2 4\n")
    assert report(one, other, "-f", "folded", "-o", "-") == "main (/a.py:1);f (/a.py:2) 7\n"


def test_report_of_chosen_processes():
    golden = GOLDEN / "profile.json"
    everything = convert(golden, "folded", "--mode", "wall")
    assert "process 4711" in everything and "process 4720" in everything
    for pattern in ("worker", "^4720$"):
        chosen = convert(golden, "folded", "--mode", "wall", "--process", pattern)
        assert "process" not in chosen, "one process needs no marker"
        assert sum(int(line.rpartition(" ")[2]) for line in chosen.splitlines()) == 2
    done = flametap.run("report", golden, "--process", "(")
    assert done.code == flametap.USAGE and "processes" in done.err


def test_pprof_of_another_producer(tmp_path):
    """As Go writes it: packed numbers, the names at the end."""

    def varint(number):
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    def field(number, value):
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        return varint(number << 3 | 2) + varint(len(value)) + value

    strings = [b"", b"samples", b"count", b"cpu", b"nanoseconds", b"main.main", b"/go/main.go", b"main.f"]
    body = field(9, 1700000000000000000)
    body += field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    body += field(2, field(1, varint(2) + varint(1)) + field(2, varint(3) + varint(30000000)))
    body += field(2, field(1, varint(1)) + field(2, varint(1) + varint(10000000)))
    for number, name in ((1, 5), (2, 7)):
        body += field(4, field(1, number) + field(4, field(1, number) + field(2, 40 + number)))
        body += field(5, field(1, number) + field(2, name) + field(4, 6))
    body += b"".join(field(6, words) for words in strings)
    with_period = body + field(11, field(1, 3) + field(2, 4)) + field(12, 10000000)
    main = "main.main (/go/main.go:41)"
    # Without a period, the counts are microseconds.
    for name, content, tick in (("plain", body, 10000), ("period", with_period, 1),
                                ("packed.pb.gz", gzip.compress(with_period), 1)):
        path = tmp_path / name
        path.write_bytes(content)
        assert convert(path, "folded") == "%s %d\n%s;main.f (/go/main.go:42) %d\n" % (main, tick, main, 3 * tick)
        assert times(path) == {("main.main",): 10000000, ("main.main", "main.f"): 30000000}


def packed(content):
    """The same bytes at any time: tests in parallel processes must have the same names."""
    return gzip.compress(content, mtime=0)


@pytest.mark.parametrize("content", [
    b"\x1f\x8b\x08\x00", packed(b"main;f 3\n")[:-12], packed(b"\x00" * 100), packed(b""),
    b'{"profiles": [', b'{"profiles": 3}', b'{"profiles": [{}]}', b"\x0a\x04\x08\x01\x10\x02\x12\x04\x0a\x01\x01",
])
def test_hostile_content_is_refused(tmp_path, content):
    path = tmp_path / "hostile"
    path.write_bytes(content)
    done = flametap.run("report", path, "-f", "folded", "-o", "-")
    assert done.code == flametap.FAILED, done
    assert str(path) in done.err and done.out == b""


def test_a_bomb_is_stopped(tmp_path):
    """A small file that unpacks to gigabytes takes no such memory: it is read up to a bound, and that is told."""
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress((b"m" * 1023 + b";f 1\n") * 32768) * 100)
    limit = ("import os, resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); "
             "os.execv(sys.argv[1], sys.argv[1:])")
    done = subprocess.run([sys.executable, "-c", limit, flametap.binary(), "report", path, "-f", "folded", "-o", "-"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == flametap.DONE, done.stderr
    assert b"unpacks to more than 512 MiB" in done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_report_by_thread(recording):
    folded = convert(recording, "folded", "--by-thread").splitlines()
    assert folded and all(line.startswith("thread ") for line in folded)


def test_report_without_lines(recording):
    """One frame per function, whatever the line: the same ticks in fewer stacks."""
    with_lines, without = (convert(recording, "folded", *args).splitlines() for args in ([], ["--no-lines"]))
    total = lambda lines: sum(int(line.rpartition(" ")[2]) for line in lines)
    assert total(with_lines) == total(without) and len(without) < len(with_lines)
    assert not any(re.search(r":\d+\)", line) for line in without)


def test_report_of_nobody_says_so(recording):
    done = flametap.run("report", recording, "--thread", "nobody of this name")
    assert done.code == flametap.DONE, done
    assert "flametap: warning: no sample of a thread" in done.err

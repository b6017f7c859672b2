"""Every format of a real recording is well-formed, and all say the same."""

import collections
import gzip
import json
import xml.etree.ElementTree

import pytest

import chrome_trace
import flametap
import pprof

FORMATS = ("html", "folded", "svg", "json", "speedscope", "pprof", "chrome", "cpuprofile")


@pytest.fixture
def report(recording, tmp_path):
    """The recording as bytes in another format."""

    def convert(format, *args):
        output = tmp_path / ("report." + format)
        done = flametap.run("report", recording, "-f", format, "-o", output, *args)
        assert done.code == flametap.DONE, done
        return output.read_bytes()

    return convert


def inclusive(stacks):
    """{name: samples with it on the stack} of {names from the root: samples}"""
    counts = collections.Counter()
    for names, count in stacks.items():
        for name in set(names):
            counts[name] += count
    return counts


def folded_names(text):
    stacks = collections.Counter()
    for stack, count in flametap.Folded(text).stacks.items():
        stacks[tuple(frame.name for frame in stack)] += count
    return stacks


def test_folded(report):
    stacks = folded_names(report("folded").decode())
    assert sum(stacks.values()) > 100
    assert {names[0] for names in stacks} == {"<module>"}


def test_options_can_be_spelt_out(usual_python, start, counters, tmp_path):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    recording, folded, both = (tmp_path / name for name in ("recording", "folded", "both"))
    for words in (["record", "--pid", target.pid, "--duration", 0.3, "--rate", 500, "--format", "json", "--output", recording],
                  ["report", recording, "--format", "folded", "--output", folded],
                  ["diff", recording, folded, "--format", "folded", "--output", both]):
        done = flametap.run(*words)
        assert done.code == flametap.DONE, done
    assert json.loads(recording.read_text())["recording"]["rate_hz"] == 500
    assert folded_names(folded.read_text()) and both.read_text()


def test_svg(report):
    root = xml.etree.ElementTree.fromstring(report("svg"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    text = "".join(root.itertext())
    for name in ("loop", "A0", "B0"):
        assert name in text


def test_json(recording):
    json.loads(recording.read_text())


def test_json_of_json_is_the_same(recording, report):
    assert json.loads(report("json")) == json.loads(recording.read_text())


def test_speedscope(report):
    shown = json.loads(report("speedscope"))
    frames = shown["shared"]["frames"]
    total = collections.Counter()
    for profile in shown["profiles"]:
        assert profile["type"] == "sampled"
        assert len(profile["samples"]) == len(profile["weights"])
        assert abs(profile["endValue"] - profile["startValue"] - sum(profile["weights"])) <= 0.01 * profile["endValue"]
        for sample, weight in zip(profile["samples"], profile["weights"]):
            assert all(0 <= index < len(frames) for index in sample)
            total[tuple(frames[index]["name"] for index in sample)] += weight
    del total[(flametap.NOT_SAMPLED,)]
    assert shown["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(total) == set(folded_names(report("folded").decode()))


def test_pprof(report):
    profile = pprof.parse(gzip.decompress(report("pprof")))
    assert profile.strings[0] == ""
    assert profile.sample_types
    seen = set()
    for locations, values in profile.samples:
        assert len(values) == len(profile.sample_types)
        names = []
        for location in locations:
            for function, line in profile.locations[location]:
                names.append(profile.functions[function][0])
                assert line > 0 or names == [flametap.NOT_SAMPLED]
        seen.add(tuple(reversed(names)))
    seen.discard((flametap.NOT_SAMPLED,))
    assert seen == set(folded_names(report("folded").decode()))


@pytest.mark.parametrize("format", FORMATS)
def test_recorded_directly(usual_python, start, counters, format, tmp_path):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    done = flametap.run("record", "-p", target.pid, "-d", 0.3, "-f", format, "-o", "-")
    assert done.code == flametap.DONE, done
    assert done.out
    if format == "html":  # its recording is compressed
        page = tmp_path / "out.html"
        page.write_bytes(done.out)
        done = flametap.run("report", page)
        assert done.code == flametap.DONE, done
    assert b"loop" in (gzip.decompress(done.out) if format == "pprof" else done.out)


@pytest.mark.parametrize("extension", ["folded", "svg", "json"])
def test_format_by_the_files_extension(usual_python, start, counters, tmp_path, extension):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    output = tmp_path / ("out." + extension)
    done = flametap.run("record", "-p", target.pid, "-d", 0.3, "-o", output)
    assert done.code == flametap.DONE, done
    text = output.read_text()
    {"folded": flametap.Folded, "svg": xml.etree.ElementTree.fromstring, "json": json.loads}[extension](text)


def test_odd_names(some_python, start, tmp_path):
    """Semicolons, line ends, blanks and every script in names of functions and files break no format."""
    target = start(some_python, "tangle.py", env={"TMPDIR": str(tmp_path)})
    target.says()
    recording = tmp_path / "odd.json"
    done = flametap.run("record", "-p", target.pid, "-d", 0.2, "-r", 100, "--mode", "wall", "-o", recording)
    assert done.code == flametap.DONE, done
    shown = {}
    for format in FORMATS:
        output = tmp_path / ("odd." + format)
        done = flametap.run("report", recording, "-f", format, "-o", output, "--mode", "wall")
        assert done.code == flametap.DONE, done
        shown[format] = output.read_bytes()
    flametap.Folded(shown["folded"].decode())
    xml.etree.ElementTree.fromstring(shown["svg"])
    json.loads(shown["json"].decode())
    json.loads(shown["speedscope"].decode())
    pprof.parse(gzip.decompress(shown["pprof"]))
    chrome_trace.slices(shown["chrome"].decode())
    chrome_trace.CpuProfile(shown["cpuprofile"].decode())


def test_no_lines(usual_python, start, counters, tmp_path):
    """Without lines, one stack per chain of functions is left."""
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    counters.wait_for_progress()  # until then it may still be in the function that says so
    done = flametap.run("record", "-p", target.pid, "-d", 0.5, "--no-lines", "-f", "folded", "-o", "-")
    assert done.code == flametap.DONE, done
    lines = [line for line in done.out.decode().splitlines() if not line.startswith(flametap.NOT_SAMPLED)]
    assert lines and len(lines) <= 1 + 12 + 2


def test_by_thread(usual_python, start, tmp_path):
    """Each thread has a root of its own."""
    target = start(usual_python, "tangle.py", env={"TMPDIR": str(tmp_path)})
    threads = target.says()["kernel_ids"]
    done = flametap.run("record", "-p", target.pid, "-d", 0.2, "--mode", "wall", "--by-thread", "-f", "folded",
                        "-o", "-")
    assert done.code == flametap.DONE, done
    roots = {line.split(";")[0] for line in done.out.decode().splitlines()}
    assert len(roots) == len(threads)


def test_mode_of_a_report(recording, report):
    """A wall recording cannot be made of a CPU recording, but every filter of one recording is at most the whole."""
    seen = {mode: sum(folded_names(report("folded", "--mode", mode).decode()).values())
            for mode in ("wall", "cpu", "ready", "gil")}
    assert 0 < seen["gil"] <= seen["wall"]
    assert 0 < seen["cpu"] + seen["ready"] <= seen["wall"] + len(seen)  # each is rounded


def test_report_shows_as_many_functions_as_asked_for(recording):
    one, two = (flametap.run("report", recording, "--limit", limit) for limit in (1, 2))
    assert one.code == two.code == flametap.DONE, (one, two)
    assert len(two.out.splitlines()) == len(one.out.splitlines()) + 1


def test_report_of_chosen_threads(report):
    everything = flametap.Folded(report("folded").decode())
    assert everything.total > 0
    assert flametap.Folded(report("folded", "--thread", ".*").decode()).total == everything.total
    assert report("folded", "--thread", "no such thread") == b""

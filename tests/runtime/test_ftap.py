"""The .ftap format: a reader made from its documentation alone reads what flametap writes, and damage is survived."""

import json
import random
import shutil

import pytest

import flametap
import ftap

pytestmark = pytest.mark.skipif(not shutil.which("zstd"), reason="needs the program zstd")

SAMPLES = 40000  # several chunks


def made_up_recording():
    """A recording in flametap's own JSON, one process, with something of everything."""
    chance = random.Random(1)
    names = ["", "/app/main.py"] + ["Größe.method_%d" % i for i in range(3000)]
    functions = len(names) - 2
    kinds = [i % 5 for i in range(functions)]
    stacks = 5000
    times = [i * 1000000 + chance.randrange(1000000) for i in range(SAMPLES)]
    times[7], times[8] = times[8], times[7]
    ticks = [chance.choice((1, 1, 1, 5)) for _ in range(SAMPLES)]
    return {
        "flametap": 2,
        "recording": {
            "start_unix_ns": 2**64 - 1, "duration_ns": SAMPLES * 1000000, "rate_hz": 999.5, "mode": "wall",
            "native": True, "ended": "process 7 exited",
            "quality": {"ticks": 1, "missed_ticks": 2, "steps": {"free_running": 3, "interrupted": 16, "ride_along": 4,
                                                                     "paused": 5},
                        "torn": 6, "unreadable": 7, "no_frames": 8, "truncated": 9, "median_sample_ns": 10,
                        "slowest_sample_ns": 11, "unmerged": 12, "native_truncated": 13, "guessed": 14,
                        "median_stop_ns": 15,
                        "more": {"other": 2**63}},
        },
        "processes": [{"pid": 7, "command": "python3 app.py", "python": "3.11.7"}],
        "threads": [{"process": 0, "id": 7, "name": "MainThread"}, {"process": 0, "id": 2**64 - 1, "name": ""}],
        "strings": names,
        "functions": {"name": [i + 2 for i in range(functions)], "file": [1] * functions,
                      "first_line": [i % 500 for i in range(functions)], "kind": kinds,
                      "module": [int(kind > 1) for kind in kinds]},
        "frames": {"function": list(range(functions)), "line": [2**31 - 1 - i for i in range(functions)]},
        "stacks": {"parent": [chance.randrange(max(1, i // 2)) for i in range(stacks)],
                   "frame": [chance.randrange(functions) for _ in range(stacks)]},
        "samples": {"time_ns": times, "weight_ns": [count * 1000000 + chance.choice((0, 0, 3)) for count in ticks],
                    "thread": [chance.randrange(2) for _ in range(SAMPLES)],
                    "stack": [chance.randrange(stacks + 1) for _ in range(SAMPLES)], "ticks": ticks,
                    "state": [chance.randrange(256) for _ in range(SAMPLES)]},
    }


def convert(source, target):
    done = flametap.run("report", source, "-o", target)
    assert done.code == flametap.DONE, done
    return done


def samples_in_words(profile):
    """The samples with the names of their stacks, which do not change with the numbers of ids."""
    names = [profile["strings"][name] for name in profile["functions"]["name"]]
    stacks = [()]
    for parent, frame in zip(profile["stacks"]["parent"], profile["stacks"]["frame"]):
        stacks.append(stacks[parent] + (names[profile["frames"]["function"][frame]],))
    samples = dict(profile["samples"], stack=[stacks[number] for number in profile["samples"]["stack"]])
    return list(zip(*samples.values()))


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording as ftap, and as the json that it was made of, which flametap has put in its own order."""
    folder = tmp_path_factory.mktemp("ftap")
    (folder / "made-up.json").write_text(json.dumps(made_up_recording()))
    convert(folder / "made-up.json", folder / "a.json")
    convert(folder / "a.json", folder / "a.ftap")
    return folder / "a.ftap", json.loads((folder / "a.json").read_text())


def test_the_documentation_is_enough_to_read_it(recording):
    path, expected = recording
    assert len(ftap.chunks(path.read_bytes())) >= 3
    parsed = ftap.parse(path.read_bytes())
    for part in expected:
        assert parsed[part] == expected[part], part


def test_chunks_with_native_frames_are_not_for_older_readers(recording):
    path, _ = recording
    data = path.read_bytes()
    assert all(data[at + 31] == 2 for at, _, _, _ in ftap.chunks(data))


def test_json_comes_back(recording, tmp_path):
    path, expected = recording
    done = convert(path, tmp_path / "b.json")
    assert done.err == ""
    assert json.loads((tmp_path / "b.json").read_text()) == expected


def test_from_standard_input(recording):
    path, expected = recording
    with path.open("rb") as stream:
        done = flametap.run("report", "-", "-f", "json", "-o", "-", stdin=stream)
    assert json.loads(done.out) == expected


def test_a_live_recording(usual_python, start, counters, tmp_path):
    target = start(usual_python, "alternate.py", counters.path, 20)
    target.says()
    path = tmp_path / "live.ftap"
    flametap.record_until(path, lambda recording: {"A0", "B0"} <= flametap.functions_of(recording), "A0 and B0", "-p", target.pid)
    parsed = ftap.parse(path.read_bytes())
    assert parsed["recording"]["mode"] == "wall", "everything is kept"
    assert parsed["processes"][0]["pid"] == target.pid
    assert {"A0", "B0"} < set(parsed["strings"])


def test_a_damaged_chunk_is_passed_over_and_said(recording, tmp_path):
    path, expected = recording
    data = bytearray(path.read_bytes())
    second = ftap.chunks(bytes(data))[1][0]
    data[second + 100] ^= 1
    damaged = tmp_path / "damaged.ftap"
    damaged.write_bytes(data)
    done = flametap.run("report", damaged, "-f", "json", "-o", "-")
    assert done.code == flametap.DONE, done
    assert "flametap: warning: %s: missing from the recording: 1 chunk" % damaged in done.err
    shown = json.loads(done.out)
    left = samples_in_words(shown)
    assert 0 < len(left) < SAMPLES
    assert shown["recording"]["quality"]["more"]["lost_from_file"] == SAMPLES - len(left)
    assert "(lost)" not in shown["strings"], "the end repeats all names"
    assert set(samples_in_words(expected)).issuperset(left)


def test_a_recording_that_is_cut_off_is_read_up_to_there(recording, tmp_path):
    path, expected = recording
    data = path.read_bytes()
    last = ftap.chunks(data)[-1][0]
    cut = tmp_path / "cut.ftap"
    cut.write_bytes(data[:last + 1000])
    done = flametap.run("report", cut, "-f", "json", "-o", "-")
    assert done.code == flametap.DONE, done
    assert "cut off" in done.err
    shown = json.loads(done.out)
    count = len(shown["samples"]["time_ns"])
    assert 0 < count < SAMPLES
    assert shown["samples"]["time_ns"] == expected["samples"]["time_ns"][:count]


def test_what_has_no_chunk_is_an_error(recording, tmp_path):
    path, _ = recording
    cut = tmp_path / "cut.ftap"
    cut.write_bytes(path.read_bytes()[:100])
    done = flametap.run("report", cut)
    assert done.code == flametap.FAILED
    assert str(cut) in done.err and "cut off" in done.err

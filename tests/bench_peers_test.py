"""What the benchmark's peers are told, and the formats that they write."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("bench_on_path")

FOLDED = """\
<module> (/srv/target.py:71);work (/srv/target.py:60);Account.run (/srv/cells.py:261);short (/srv/target.py:26) 98
<module> (/srv/target.py);<lambda> (a file with (signs).py:3) 2
(torn) 3
"""


def test_stacks_of_flametap_and_py_spy():
    from peers import folded
    from truth import Frame

    stacks, lost = folded.take_out(folded.read(FOLDED, folded.frame_in_parentheses), ("(torn)",))
    assert stacks[0] == ((Frame("<module>", "/srv/target.py", 71), Frame("work", "/srv/target.py", 60),
                          Frame("Account.run", "/srv/cells.py", 261), Frame("short", "/srv/target.py", 26)), 98)
    assert stacks[1][0] == (Frame("<module>", "/srv/target.py", 0), Frame("<lambda>", "a file with (signs).py", 3))
    assert lost == {"torn": 3}


def test_flametap_counts_time_and_says_how_many_samples_that_were(tmp_path):
    from peers.flametap import Flametap
    from peers.peer import Job

    output = tmp_path / "profile"
    output.write_text(FOLDED)  # 103 ticks, of which 51 were missed
    (tmp_path / "profile.stats").write_text(json.dumps({
        "samples": 52, "torn": 2, "unreadable": 0, "truncated": 0, "no_frames": 4, "missed_ticks": 51, "steps": {},
        "duration_s": 0.1, "median_sample_ns": 9000}))
    read = Flametap.read(None, Job("1000", 0.1, output), "", "")
    assert (sum(count for _, count in read.stacks), read.samples, read.lost) == (100, 50, {"torn": 2})
    assert (read.said["missed"], read.said["no_frames"]) == (51, 4)


def test_stacks_of_tachyon():
    from peers import folded, tachyon
    from truth import Frame

    stacks = folded.read("tid:7;target.py:<module>:71;target.py:work:60;<GC> 90\n", folded.frame_with_colons)
    assert stacks == [((Frame("tid:7"), Frame("<module>", "target.py", 71), Frame("work", "target.py", 60),
                        Frame("<GC>")), 90)]
    words = ("Captured 1,000 samples in 1.00 seconds\nSample rate: 9\nError rate: 4.10\n"
             "Warning: missed 53,931 samples from the expected\n")
    read = tachyon.recording(stacks, words)
    assert (read.samples, read.lost, read.said) == (90, {"errors": 41}, {"missed": 53931})


def mojo_integer(value):
    first, rest = value & 0x3F, value >> 6
    encoded = [first]
    while rest:
        encoded[-1] |= 0x80
        encoded.append(rest & 0x7F)
        rest >>= 7
    return bytes(encoded)


def mojo_file(samples):
    """As Austin 4 writes it: each frame is defined where it is met first, and stacks refer to frames, root first."""
    text = lambda word: word.encode() + b"\0"
    data = b"MOJ\x03" + b"\x01" + text("mode") + text("wall")
    known = {}
    for names, microseconds in samples:
        data += b"\x02" + mojo_integer(4711) + mojo_integer(0) + text("7066")
        for name in names:
            if name not in known:
                known[name] = 1000003 * (1 + len(known))
                data += b"\x0b" + mojo_integer(900 + len(known)) + text(name)
                data += b"\x0b" + mojo_integer(77) + text("/srv/target.py")
                data += b"\x03" + b"".join(map(mojo_integer, (known[name], 77, 900 + len(known), 21, 21, 9, 13)))
        data += b"".join(b"\x05" + mojo_integer(known[name]) for name in names) + b"\x09" + mojo_integer(microseconds)
    return data + b"\x01" + text("errors") + text("3/903") + b"\x01" + text("saturation") + text("2/903")


def test_stacks_of_austin():
    from peers import austin, mojo
    from truth import Frame

    assert mojo.Reader(bytes([0xC3, 0x02])).integer() == -131  # the example of its documentation
    data = mojo_file([(("<module>", "work"), 1000), (("<module>",), 3000), (("<module>", "work"), 1000)])
    read = austin.recording(data)
    root, work = Frame("<module>", "/srv/target.py", 21), Frame("work", "/srv/target.py", 21)
    assert dict(read.stacks) == {(root, work): 2000, (root,): 3000}
    assert (read.samples, read.lost, read.said) == (3, {"errors": 3}, {"late": 2})
    assert read.equal_samples == round(5000 ** 2 / 11e6)
    cut = austin.recording(data[:data.index(b"\x09" + mojo_integer(3000))])
    assert dict(cut.stacks) == {(root, work): 1000}
    with pytest.raises(ValueError):
        austin.recording(b"no such thing")


def test_stacks_of_austin_with_frames_that_it_could_not_read():
    from peers import austin

    data = mojo_file([(("<module>",), 1000)])
    invalid = b"\x02" + mojo_integer(1) + mojo_integer(0) + b"7\0" + b"\x04" + b"\x09" + mojo_integer(500)
    at = data.index(b"\x01errors")
    read = austin.recording(data[:at] + invalid + data[at:])
    assert read.lost == {"errors": 3, "invalid": 1}
    assert sum(weight for _, weight in read.stacks) == 1000


PERF = """\
python3.15  2578 64694.803659:    1000000 cpu-clock:
\t           459f0 [unknown] (/usr/bin/python3.15)
\t    7f7393b961ca py::short:/srv/target.py+0xa (/tmp/perf-2578.map)
\t          2093bd _PyFunction_Vectorcall+0x51d (/usr/bin/python3.15)
\t    7f7393b936ea py::<module>:/srv/target.py+0xa (/tmp/perf-2578.map)

python3.15  2578 64694.804653:    1000000 cpu-clock:
\t          1c1a9c PyEval_EvalCode+0x9c (/usr/bin/python3.15)
\t    7f7393b936ea py::<module>:/srv/target.py (/tmp/perf-2578.map)

"""
BPFTRACE = """\
Attaching 2 probes...


@[
\t5defe0 0x5defe0 ([unknown])
\t7f7393b963ea py::Class.method:/srv/target.py+10 (/tmp/perf-2578.map)
\t7f7393b936ea py::<module>:/srv/target.py+10 (/tmp/perf-2578.map)
]: 11
"""


def test_stacks_of_perf_and_bpftrace():
    from peers import perf
    from truth import TRUNCATED, Frame

    read = perf.recording(perf.perf_samples(PERF))
    root = Frame("<module>", "/srv/target.py")
    assert dict(read.stacks) == {(root, Frame("short", "/srv/target.py")): 1, (root,): 1}
    read = perf.recording(perf.bpftrace_samples(BPFTRACE))
    assert dict(read.stacks) == {(root, Frame("Class.method", "/srv/target.py")): 11}
    deep = perf.recording([(["py::f:/srv/target.py"] * perf.DEEPEST, 2)])
    assert deep.stacks[0][0][0].function == TRUNCATED and deep.lost == {"truncated": 2}


def test_cprofile_hands_time_to_callers():
    from peers import cprofile

    work, call, add = (("/srv/target.py", line, name) for line, name in ((2, "work"), (3, "call"), (4, "add")))
    stats = {work: (1, 1, 0.5, 4.0, {}),
             call: (2, 2, 1.0, 3.5, {work: (2, 2, 1.0, 3.5)}),
             add: (9, 9, 2.5, 2.5, {call: (6, 6, 2.0, 2.0), work: (3, 3, 0.5, 0.5)})}
    weights = {tuple(frame.function for frame in path): weight for path, weight in cprofile.stacks_of(stats)}
    assert weights == {("work",): 0.5, ("work", "call"): 1.0, ("work", "call", "add"): 2.0, ("work", "add"): 0.5}


def test_cprofile_finds_the_way_out_of_recursion():
    from peers import cprofile

    work, load, run = (("/srv/target.py", line, name) for line, name in ((1, "work"), (2, "load"), (3, "run")))
    stats = {work: (1, 1, 0.0, 4.0, {}),
             load: (1, 5, 1.0, 4.0, {work: (1, 1, 0.2, 4.0), run: (4, 4, 0.8, 3.0)}),
             run: (1, 5, 3.0, 3.9, {load: (5, 5, 3.0, 3.9)})}
    roots = {path[0].function for path, _ in cprofile.stacks_of(stats)}
    assert roots == {"work"}
    assert sum(weight for _, weight in cprofile.stacks_of(stats)) == pytest.approx(4.0)


class FakeInterpreter:
    minor, version, debug, env, command = (3, 15), "3.15.0", False, {}, ["python3.15"]

    @staticmethod
    def environment():
        return {}


class FakeKit:
    """Everything is there, and does nothing."""

    interpreters = [FakeInterpreter]

    @staticmethod
    def version_of(*_command):
        return "1.2"

    from_pypi = from_debian = staticmethod(lambda package, program=None: program or package)
    with_newest_libc = staticmethod(lambda program: [program])


def test_whole_seconds_are_said_to_be_needed():
    from peers.peer import Job, Unavailable, whole_seconds

    assert whole_seconds(Job("1000", 2.0, "profile")) == "2"
    with pytest.raises(Unavailable, match="whole seconds"):
        whole_seconds(Job("1000", 0.5, "profile"))


def test_every_profiler_is_told_process_rate_and_file(monkeypatch, tmp_path):
    import command_line
    from peers.peer import Job

    monkeypatch.setenv("FLAMETAP", __file__)
    for kind in command_line.KINDS + command_line.MORE_KINDS:
        peer = kind(FakeKit)
        assert peer.name and peer.version and peer.how
        for rate in ("100", "max") if peer.rates else ("all",):
            job = Job(rate, 2, tmp_path / "profile", pid=4711, truth_file=tmp_path / "truth")
            if peer.why_not(FakeKit.interpreters[0], None, rate):
                continue
            command = " ".join(peer.attach(job)[0])
            assert "4711" in command and str(tmp_path / "profile") in command
            interval = {"austin": "10000"}.get(peer.name, "100")
            assert rate != "100" or interval in command

"""A reader of .ftap files made from docs/formats/ftap.md alone, to prove what stands there.

Knows nothing of damage: everything in the file must be as the page says.
"""

import struct
import subprocess
import zlib

MAGIC = bytes.fromhex("89 46 54 41 50 0D 0A 1A")
MARKER = bytes.fromhex("D3 46 54 43")
COUNTS = ("ticks", "missed_ticks", "free_running", "ride_along", "paused", "torn", "unreadable", "no_frames",
          "truncated", "median_sample_ns", "slowest_sample_ns", "unmerged", "native_truncated", "guessed",
          "median_stop_ns", "interrupted")
STEPS = ("free_running", "interrupted", "ride_along", "paused")
MODES = ("wall", "cpu", "gil", "unknown")


class Content:
    """Takes the plain content of a chunk, or of a section, apart from the front."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def bytes(self, count):
        assert self.at + count <= len(self.data), "beyond the end"
        self.at += count
        return self.data[self.at - count:self.at]

    def numbers(self, layout):
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))

    def column(self, count):
        width, base = self.numbers("BQ")
        assert 1 <= width <= 8
        planes = [self.bytes(count) for _ in range(width)]
        return [(base + int.from_bytes(row, "little")) % 2**64 for row in zip(*planes)] if count else []

    def signed_column(self, count):
        return [value - 2**64 if value >= 2**63 else value for value in self.column(count)]

    def texts(self, count):
        return [self.bytes(length).decode() for length in self.column(count)]


def unpack(payload):
    return subprocess.run(["zstd", "-dcq"], input=payload, stdout=subprocess.PIPE, check=True).stdout


def chunks(data):
    """[(offset, sequence, is the last, plain content), ...]"""
    assert data[:8] == MAGIC
    recording, version, oldest, zero, checksum = struct.unpack("<QBBHI", data[8:24])
    assert checksum == zlib.crc32(data[:20])
    assert (version, oldest, zero) == (4, 1, 0)
    at, found = 24, []
    while at < len(data):
        assert data[at:at + 4] == MARKER
        (checksum, chunk_recording, sequence, payload_length, plain_length, flags, compression, version,
         oldest) = struct.unpack("<IQIIIBBBB", data[at + 4:at + 32])
        end = at + 32 + payload_length
        assert end <= len(data)
        assert checksum == zlib.crc32(data[at + 8:end])
        assert chunk_recording == recording
        assert (compression, version) == (1, 4) and oldest in (1, 2)
        assert payload_length <= (4 << 20) + (64 << 10)
        assert plain_length <= min(4 << 20, 32 * (32 + payload_length))
        plain = unpack(data[at + 32:end])
        assert len(plain) == plain_length
        found.append((at, sequence, bool(flags & 1), plain))
        at = end
    return found


def sections(plain):
    content = Content(plain)
    while content.at < len(plain):
        kind, length = content.numbers("BI")
        yield kind, Content(content.bytes(length))


def read_recording(section):
    start, duration, rate, mode = section.numbers("QQdB")
    ended, = section.texts(1)
    count, = section.numbers("I")
    counts = dict(zip(COUNTS, section.column(count)))
    more, = section.numbers("I")
    names = section.texts(more)
    quality = {name: counts[name] for name in COUNTS if name not in STEPS}
    quality["steps"] = {name: counts[name] for name in STEPS}
    quality["more"] = dict(zip(names, section.column(more)))
    native, = section.numbers("B")
    return {"start_unix_ns": start, "duration_ns": duration, "rate_hz": rate, "mode": MODES[mode],
            "native": bool(native), "ended": ended, "quality": quality}


def read_rows(kind, section):
    """The number of the first row, and the rows."""
    first, count = section.numbers("II")
    if kind == 2:
        columns = [section.texts(count)]
    elif kind == 3:
        columns = [section.column(count) for _ in range(5)]
    elif kind == 4:
        columns = [section.column(count) for _ in range(2)]
    elif kind == 5:
        parents = [first + i - distance for i, distance in enumerate(section.column(count))]
        columns = [parents, section.column(count)]
    elif kind == 6:
        columns = [section.column(count), section.texts(count), section.texts(count)]
    else:
        columns = [section.column(count), section.column(count), section.texts(count)]
    return first, list(zip(*columns))


def read_samples(section):
    first, count, unit, weight_per_tick, time = section.numbers("QIIQQ")
    steps = section.signed_column(count)
    thread, stack, ticks, state = (section.column(count) for _ in range(4))
    weight = section.signed_column(count)
    samples = []
    for i in range(count):
        time += steps[i]
        samples.append((time * unit, weight[i] + ticks[i] * weight_per_tick, thread[i], stack[i], ticks[i], state[i]))
    return first, samples


def columns(rows, *names):
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def parse(data):
    """The recording as flametap's own JSON has it."""
    recording, samples, sources = None, [], {}
    tables = {kind: {} for kind in range(2, 8)}
    found = chunks(data)
    assert [sequence for _, sequence, _, _ in found] == list(range(len(found)))
    assert [last for _, _, last, _ in found] == [False] * (len(found) - 1) + [True]
    for _, _, _, plain in found:
        for kind, section in sections(plain):
            if kind == 1:
                recording = read_recording(section)
            elif kind == 8:
                first, more = read_samples(section)
                assert first == len(samples)
                samples += more
            elif kind == 9:
                count, = section.numbers("I")
                for path, text in zip(section.texts(count), section.texts(count)):
                    assert sources.setdefault(path, text) == text
            else:
                first, rows = read_rows(kind, section)
                for i, row in enumerate(rows, first):
                    assert tables[kind].setdefault(i, row) == row, "a repeated row says something else"
            assert section.at == len(section.data)
    rows = {kind: [row for _, row in sorted(table.items())] for kind, table in tables.items()}
    for kind, table in tables.items():
        start = 1 if kind == 5 else 0
        assert sorted(table) == list(range(start, start + len(table)))
    strings = [text for text, in rows[2]]
    parsed = {
        "flametap": 2 if any(kind > 1 for _, _, _, kind, _ in rows[3]) else 1,
        "recording": recording,
        "processes": [dict(zip(("pid", "command", "python"), row)) for row in rows[6]],
        "threads": [dict(zip(("process", "id", "name"), row)) for row in rows[7]],
        "strings": strings,
        "functions": columns(rows[3], "name", "file", "first_line", "kind", "module"),
        "frames": columns(rows[4], "function", "line"),
        "stacks": columns(rows[5], "parent", "frame"),
        "samples": columns(samples, "time_ns", "weight_ns", "thread", "stack", "ticks", "state"),
    }
    if sources:
        by_path = sorted((strings.index(path), text) for path, text in sources.items())
        parsed["sources"] = columns(by_path, "path", "text")
    return parsed

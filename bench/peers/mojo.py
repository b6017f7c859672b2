"""Reads MOJO, the binary format of Austin: a stream of events with integers of variable length."""
import collections
import re

from truth import Frame

MAGIC = b"MOJ"
(METADATA, STACK, FRAME, INVALID_FRAME, FRAME_REFERENCE, KERNEL_FRAME, COLLECTING, IDLE, TIME, MEMORY, STRING,
 STRING_REFERENCE) = range(1, 13)
INVALID = "(invalid)"  # a frame of which Austin says that it could not be read
REFERENCES = re.compile(rb"(?:\x05[\x80-\xff]*[\x00-\x7f])+")  # most of a file: read at once


class Reader:
    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def integer(self):
        """The first byte has 6 bits and the sign, all others 7; the highest bit says that more follow."""
        first = self.byte()
        value, shift, more = first & 0x3F, 6, first & 0x80
        while more:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift, more = shift + 7, byte & 0x80
        return -value if first & 0x40 else value

    def string(self):
        end = self.data.index(b"\0", self.at)
        text = self.data[self.at:end].decode(errors="replace")
        self.at = end + 1
        return text

    def references(self):
        """The event at which we are, and all further ones of its kind, undecoded."""
        run = REFERENCES.match(self.data, self.at - 1)
        if not run:
            raise IndexError
        self.at = run.end()
        return run[0]

    @property
    def more(self):
        return self.at < len(self.data)


class Mojo:
    """A whole file: its samples as {stack: [count, microseconds]}, and its metadata."""

    def __init__(self, data):
        if not data.startswith(MAGIC):
            raise ValueError("this is no MOJO file")
        self.samples = collections.defaultdict(lambda: [0, 0])
        self.squares = 0  # of the microseconds of all samples
        self.metadata = {}
        self.strings, self.frames, self.stack = {}, {}, ()
        self.unresolved = collections.defaultdict(lambda: [0, 0])
        reader = Reader(data, len(MAGIC))
        reader.integer()  # the version
        try:
            while reader.more:
                self.event(reader)
        except (IndexError, ValueError):
            self.metadata["damaged"] = "1"  # cut off while it was being written: what there is counts
        self.resolve()

    def event(self, reader):
        kind = reader.byte()
        if kind == FRAME_REFERENCE:
            self.stack += (reader.references(),)
        elif kind == TIME:
            self.end_sample(reader.integer())
        elif kind == STACK:
            reader.integer(), reader.integer(), reader.string()  # process, interpreter, thread
            self.stack = ()
        elif kind == FRAME:
            self.define_frame(*(reader.integer() for _ in range(7)))
        elif kind == STRING:
            key = reader.integer()
            self.strings[key] = reader.string()
        elif kind == METADATA:
            key = reader.string()
            self.metadata[key] = reader.string()
        elif kind == INVALID_FRAME:
            self.stack += (Frame(INVALID),)
        elif kind == KERNEL_FRAME:
            self.stack += (Frame(reader.string(), "[kernel]"),)
        elif kind in (MEMORY, STRING_REFERENCE):
            reader.integer()
        elif kind not in (COLLECTING, IDLE):
            raise ValueError(f"unknown event {kind}")

    def define_frame(self, key, file, function, line, _line_end, _column, _column_end):
        frame = Frame(self.strings.get(function, "?"), self.strings.get(file, "?"), line)
        if self.frames.get(key, frame) != frame:
            self.resolve()  # stacks until here mean the old one
        self.frames[key] = frame

    def end_sample(self, microseconds):
        sample = self.unresolved[self.stack]
        sample[0] += 1
        sample[1] += microseconds
        self.squares += microseconds ** 2
        self.stack = ()

    def resolve(self):
        for parts, (count, microseconds) in self.unresolved.items():
            stack = []
            for part in parts:
                stack += [part] if isinstance(part, Frame) else self.frames_of(part)
            sample = self.samples[tuple(stack)]
            sample[0] += count
            sample[1] += microseconds
        self.unresolved.clear()

    def frames_of(self, references):
        reader = Reader(references)
        while reader.more:
            reader.byte()
            yield self.frames.get(reader.integer(), Frame("(unknown)"))

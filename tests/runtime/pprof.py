"""Reads as much of pprof's protocol buffers as the tests need: a few dozen lines instead of a dependency."""

import collections

Profile = collections.namedtuple("Profile", "samples locations functions strings sample_types")


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message: [(number, int or bytes), ...]."""
    found, at = [], 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
            assert at + size <= len(data), "a field goes beyond the end"
            value, at = data[at:at + size], at + size
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        else:
            raise AssertionError("wire type %d" % kind)
        found.append((key >> 3, value))
    return found


def _numbers(message, number):
    """A repeated number, packed or not."""
    values = []
    for field, value in message:
        if field != number:
            continue
        if isinstance(value, int):
            values.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = _varint(value, at)
            values.append(one)
    return values


def parse(data):
    """The tables of a profile.

    samples: [(location ids innermost first, values)], locations: {id: [(function id, line)]},
    functions: {id: (name, file)}.
    """
    profile = fields(data)
    strings = [value.decode() for field, value in profile if field == 6]
    samples, locations, functions, types = [], {}, {}, []
    for field, value in profile:
        if field == 1:
            kind = dict(fields(value))
            types.append((strings[kind.get(1, 0)], strings[kind.get(2, 0)]))
        elif field == 2:
            message = fields(value)
            samples.append((_numbers(message, 1), _numbers(message, 2)))
        elif field == 4:
            message = fields(value)
            lines = [dict(fields(line)) for number, line in message if number == 4]
            locations[dict(message)[1]] = [(line[1], line.get(2, 0)) for line in lines]
        elif field == 5:
            message = dict(fields(value))
            functions[message[1]] = (strings[message.get(2, 0)], strings[message.get(4, 0)])
    return Profile(samples, locations, functions, strings, types)

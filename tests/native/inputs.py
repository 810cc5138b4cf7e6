"""The inputs on which compare.py runs a subject: corner values, all small ones, random ones.

An input is a record of fixed size, every parameter at a multiple of eight bytes.
"""

import itertools
import random
import struct

TYPES = {
    "char": "b", "signed char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H",
    "int": "i", "unsigned int": "I", "long": "q", "unsigned long": "Q",
}
MOST_CORNERS = 20_000
RANDOM = 120_000


class Integer:
    """A scalar parameter or token of an integer type."""

    def __init__(self, config):
        self.name = config.get("name")
        self.type = config["type"]
        self.format = "<" + TYPES[self.type]
        bits = 8 * struct.calcsize(self.format)
        signed = TYPES[self.type].islower()
        self.min = -(1 << bits - 1) if signed else 0
        self.max = (1 << bits - signed) - 1
        self.min, self.max = config.get("min", self.min), config.get("max", self.max)
        self.range = range(config["small"][0], config["small"][1] + 1)
        self.size = 8

    def small(self):
        """All numbers of the small range."""
        return list(self.range)

    def corners(self):
        """The ends of the range and of its halves, and the numbers around zero."""
        wanted = [self.min, self.max, self.min + 1, self.max - 1, self.max // 2 + 1,
                  self.max // 2, self.min // 2, self.min // 2 - 1, -2, -1, 0, 1, 2]
        return sorted({v for v in wanted if self.min <= v <= self.max})

    def random(self, rng, others):
        """A number that often equals another parameter or is next to it, or else has any magnitude."""
        choice = rng.random()
        if others and choice < 0.4:
            value = rng.choice(others) + rng.choice([0, 0, 0, -1, 1])
        elif choice < 0.6:
            value = rng.choice(self.range)
        else:
            value = rng.getrandbits(rng.randrange(1, 65)) * rng.choice([1, -1])
        return min(max(value, self.min), self.max)

    def encode(self, value):
        """The bytes of the record for this value."""
        return struct.pack(self.format, value).ljust(8, b"\0")

    def decode(self, data):
        """The value that an object of a test holds."""
        return struct.unpack(self.format, data)[0]

    def declaration(self, offset):
        """The C expression that reads the value from the record."""
        return f"*({self.type} *)(record + {offset})"


class String:
    """A `char *` parameter that points at up to `most` bytes and a NUL."""

    def __init__(self, config):
        self.name = config["name"]
        self.most = config["string"]
        self.alphabet = config["small"].encode()
        self.size = (self.most + 8) // 8 * 8

    def small(self):
        """All strings over the small alphabet."""
        return [bytes(letters) for length in range(self.most + 1)
                for letters in itertools.product(self.alphabet, repeat=length)]

    def corners(self):
        """The shortest and the longest texts, of bytes around the digits, letters and the sign bit."""
        edges = [b"/", b"0", b"1", b"9", b":", b"@", b"A", b"z", b"\x01", b"\x7f", b"\x80", b"\xff"]
        return [b"", *edges, *(edge * self.most for edge in edges)]

    def random(self, rng, others):
        """A text that often begins like another parameter; the rest is digits, small letters or any
        bytes."""
        start = rng.choice(others)[:rng.randrange(self.most + 1)] if others else b""
        length = rng.randrange(self.most + 1)
        letters = self.alphabet if rng.random() < 0.3 else \
            b"0123456789" if rng.random() < 0.5 else bytes(range(1, 256))
        while len(start) < length:
            start += bytes([rng.choice(letters)])
        return start

    def encode(self, value):
        """The bytes of the record for this value."""
        return value.ljust(self.size, b"\0")

    def decode(self, data):
        """The value that an object of a test holds."""
        if len(data) != self.most:
            raise ValueError(f"{self.name} has {len(data)} bytes, not {self.most}")
        return data

    def declaration(self, offset):
        """The C expression that reads the value from the record."""
        return f"(char *)(record + {offset})"


def parameter(config):
    """The parameter that a table of domains.toml describes."""
    return String(config) if "string" in config else Integer(config)


def records(parameters):
    """All inputs as bytes, corner values first, as these are most likely to give endless loops."""
    rng = random.Random(0)
    corners = [p.corners() for p in parameters]
    combinations = 1
    for values in corners:
        combinations *= len(values)
    if combinations <= MOST_CORNERS:
        for values in itertools.product(*corners):
            yield b"".join(p.encode(v) for p, v in zip(parameters, values))
    else:
        for _ in range(MOST_CORNERS):
            yield b"".join(p.encode(rng.choice(c)) for p, c in zip(parameters, corners))
    small = [[p.encode(value) for value in p.small()] for p in parameters]
    yield from map(b"".join, itertools.product(*small))
    for _ in range(RANDOM):
        values = {}
        for index in rng.sample(range(len(parameters)), len(parameters)):
            values[index] = parameters[index].random(rng, list(values.values()))
        yield b"".join(p.encode(values[i]) for i, p in enumerate(parameters))

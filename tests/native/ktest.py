"""Reads KLEE's .ktest files, version 3, as docs/formats.md describes them."""


class NotKtest(ValueError):
    """The file is no .ktest file."""


def read(path):
    """The objects of the file by name."""
    return parse(path.read_bytes())


def parse(data):
    """The objects of a file's content by name."""
    position = 5

    def number():
        nonlocal position
        position += 4
        if position > len(data):
            raise NotKtest("the file ends too soon")
        return int.from_bytes(data[position - 4:position], "big")

    def text():
        nonlocal position
        length = number()
        position += length
        if position > len(data):
            raise NotKtest("the file ends too soon")
        return data[position - length:position]

    if data[:5] != b"KTEST":
        raise NotKtest("the file does not begin with KTEST")
    if number() != 3:
        raise NotKtest("the file is not of version 3")
    for _ in range(number()):
        text()
    number(), number()
    objects = {}
    for _ in range(number()):
        name = text().decode()
        objects[name] = text()
    if position != len(data):
        raise NotKtest("the file goes on after its end")
    return objects

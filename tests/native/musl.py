"""Finds the modules of scripts/musl.sh that a program needs."""

import csv
import os
import pathlib

TOP = pathlib.Path(__file__).parent.parent.parent
MUSL = pathlib.Path(os.environ.get("PSYCHIC_CACHE") or TOP / ".cache").absolute() / "musl"


def needed(undefined):
    """The modules that define the undefined symbols, and the modules that these need in turn."""
    with open(MUSL / "symbols.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    owner = {r["symbol"]: r["module"] for r in rows if r["kind"] == "weak"}
    owner |= {r["symbol"]: r["module"] for r in rows if r["kind"] == "defined"}
    modules, todo = [], list(undefined)
    while todo:
        module = owner.get(todo.pop())
        if module and module not in modules:
            modules.append(module)
            todo += [r["symbol"] for r in rows
                     if r["module"] == module and r["kind"] == "undefined"]
    return modules


def files(modules):
    """The bitcode files of modules."""
    return [MUSL / "bitcode" / f"{module}.bc" for module in modules]


def mathematical(undefined):
    """The bitcode of mathematical functions, which native programs are linked with because libraries
    differ in the last bit."""
    modules = needed(undefined)
    return files(m for m in modules if m.startswith(("math/", "complex/")))

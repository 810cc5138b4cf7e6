#!/usr/bin/env python3
"""Checks which variants of floating-point functions psychic tells apart or proves equivalent.

    scripts/doubles.py PSYCHIC [--budget 10s] [--figures FILE] [NAME...]

Each file of tests/doubles has a function, and after `/* equal */` or `/* unequal */` variants that are
known to be so. Runs psychic with one worker on each variant and its original, prints a line for it, and
fails if a verdict is wrong.
"""

import argparse
import collections
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FUNCTIONS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "doubles"
SUBJECT = 'name = "{name}"\nentry = "f"\ncandidates = ["0.c", "1.c"]\n'
RIGHT = {"equal": "equivalent", "unequal": "distinguished"}


def variants(path):
    original, *others = re.split(r"^/\* (equal|unequal) \*/\n", path.read_text(), flags=re.M)
    return original, list(zip(others[::2], others[1::2]))


def verdict(psychic, name, texts, budget):
    with tempfile.TemporaryDirectory() as directory:
        subject = pathlib.Path(directory)
        (subject / "subject.toml").write_text(SUBJECT.format(name=name))
        for number, text in enumerate(texts):
            (subject / f"{number}.c").write_text(text)
        begin = time.monotonic()
        command = [psychic, "diff", subject, "--out", subject / "out", "--jobs", "1",
                   "--time-budget", budget]
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode > 1:
            sys.exit(f"{name}: {done.stderr}")
        with open(subject / "out" / "pairs.csv", newline="") as file:
            row, = csv.DictReader(file)
        return row["verdict"], row["reason"] if row["verdict"] == "unknown" else "", seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("psychic")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--budget", default="10s")
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    names = options.names or sorted(path.stem for path in FUNCTIONS.glob("*.c"))
    rows, counts = [], collections.Counter()
    for name in names:
        original, others = variants(FUNCTIONS / f"{name}.c")
        for kind, text in others:
            said, reason, seconds = verdict(options.psychic, name, [original, text], options.budget)
            judged = {RIGHT[kind]: "right", "unknown": "unknown"}.get(said, "wrong")
            counts[judged] += 1
            rows.append({"function": name, "variant": kind, "verdict": said,
                         "seconds": f"{seconds:.1f}", "reason": reason})
            print(*rows[-1].values(), judged, sep=",", flush=True)
    print(dict(counts), file=sys.stderr)
    if options.figures:
        with open(options.figures, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    sys.exit(counts["wrong"] > 0)


if __name__ == "__main__":
    main()

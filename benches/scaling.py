#!/usr/bin/env python3
"""Measures what more patches cost: K patches with 16 behaviours, at one place and at four places.

    benches/scaling.py PSYCHIC [--sharing none] [--most K] [--figures FILE]

Every patch computes its limit by a different expression, so that all pairs have to be proved
equivalent or told apart. Prints a line for each run, and adds it to a CSV file: seconds of the whole
command and of the build alone, paths, and pairs by verdict. Fails if a verdict is not as expected.
"""

import argparse
import csv
import datetime
import pathlib
import subprocess
import sys
import tempfile

BEHAVIOURS = 16
COUNTS = (2, 8, 16, 32, 128, 512)
SUBJECT = 'name = "scaling"\nsources = ["scale.c"]\npatches = ["*.diff"]\n'
LINES = ["\tint limit{0} = 10;", "\tif (a + {0} > limit{0})", "\t\tn += {1};"]


def program(places):
    lines = ["#include <stdio.h>", "int main(void)", "{", "\tint a, n = 0;",
             '\tif (scanf("%d", &a) != 1)', "\t\treturn 1;"]
    for place in range(places):
        lines += [line.format(place, 1 << place) for line in LINES]
    return lines + ['\tprintf("%d\\n", n);', "\treturn 0;", "}"]


def patch(lines, place, number):
    at = lines.index(LINES[0].format(place))
    new = f"\tint limit{place} = {10 + number % BEHAVIOURS} + {number} * a - a * {number};"
    return f"--- a/scale.c\n+++ b/scale.c\n@@ -{at + 1} +{at + 1} @@\n-{lines[at]}\n+{new}\n"


def behaviour(number, places):
    """Two revisions are equivalent if this is equal. The original has the number -1; patches with a
    multiple of 16 do not change what the program does (None)."""
    if number < 0 or number % BEHAVIOURS == 0:
        return None
    return number % places, number % BEHAVIOURS


def measure(psychic, count, places, sharing):
    with tempfile.TemporaryDirectory() as scratch:
        subject = pathlib.Path(scratch)
        lines = program(places)
        (subject / "scale.c").write_text("\n".join(lines) + "\n")
        (subject / "subject.toml").write_text(SUBJECT)
        for number in range(count):
            (subject / f"{number:03}.diff").write_text(patch(lines, number % places, number))
        out = subject / "out"
        done = subprocess.run([psychic, "diff", subject, "--out", out, "--sharing", sharing],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{count} patches at {places}: {done.stdout}{done.stderr}")
        with open(out / "pairs.csv", newline="") as file:
            for row in csv.DictReader(file):
                a, b = (behaviour(int(row[name]) - 1, places) for name in "ab")
                expected = "equivalent" if a == b else "distinguished"
                if row["verdict"] != expected:
                    sys.exit(f"{row['a']} and {row['b']} of {count} at {places}: {row['verdict']}")
        with open(out / "summary.csv", newline="") as file:
            summary = next(csv.DictReader(file))
        with open(out / "stats.csv", newline="") as file:
            build = next(row for row in csv.DictReader(file) if row["phase"] == "build")
    return {"date": datetime.date.today().isoformat(), "patches": count, "places": places,
            "sharing": sharing, "seconds": summary["seconds"], "build": build["seconds"],
            "paths": summary["paths"], "distinguished": summary["distinguished"],
            "equivalent": summary["equivalent"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("psychic")
    parser.add_argument("--sharing", default="full", choices=("full", "none"))
    parser.add_argument("--most", type=int, default=COUNTS[-1])
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_args()
    for places in (1, 4):
        for count in (count for count in COUNTS if count <= options.most):
            row = measure(options.psychic, count, places, options.sharing)
            print(*row.values(), sep=",", flush=True)
            if options.figures:
                is_new = not options.figures.exists()
                with open(options.figures, "a", newline="") as file:
                    writer = csv.DictWriter(file, row, lineterminator="\n")
                    if is_new:
                        writer.writeheader()
                    writer.writerow(row)


if __name__ == "__main__":
    main()

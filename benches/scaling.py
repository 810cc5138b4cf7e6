#!/usr/bin/env python3
"""Measures what more patches cost: K patches with 16 behaviours, at one place and at four places.

    benches/scaling.py PSYCHIC [--sharing none] [--most K] [--figures FILE]
    benches/scaling.py --plot FILE.svg --figures FILE

Every patch computes its limit by a different expression, so that all pairs have to be proved
equivalent or told apart. Prints a line for each run, and adds it to a CSV file: seconds of the whole
command and of the build alone, paths, and pairs by verdict. Fails if a verdict is not as expected.
With --plot, draws the latest figures instead: seconds over patches, both logarithmic.
"""

import argparse
import csv
import datetime
import itertools
import math
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


def measure(psychic, count, places, sharing, subject):
    subject.mkdir()
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


def plot(rows, place):
    """Draws the seconds of the whole command for each number of places and way of sharing."""
    width, height, left, top, right, bottom = 680, 400, 56, 16, 170, 44
    seconds = [float(row["seconds"]) for row in rows]
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    first, last = math.log2(COUNTS[0]), math.log2(COUNTS[-1])

    def x(patches):
        return left + (math.log2(patches) - first) / (last - first) * (width - left - right)

    def y(value):
        return height - bottom - (math.log10(value) - low) / (high - low) * (height - top - bottom)

    def text(at, words, anchor="middle"):
        return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}">{words}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for count in COUNTS:
        parts.append(text((x(count), height - bottom + 18), count))
    for power in range(low, high + 1):
        line = y(10 ** power)
        parts.append(text((left - 8, line + 4), f"{10 ** power:g}", "end"))
        parts.append(f'<path d="M{left} {line:.1f}H{width - right}" stroke="#dde2e8"/>')
    parts.append(text(((left + width - right) / 2, height - 8), "patches"))
    parts.append(text((left + 6, top + 12), "seconds", "start"))
    lines = {}
    for row in rows:
        lines.setdefault((row["places"], row["sharing"]), {})[int(row["patches"])] = row
    colours = iter(["#0072b2", "#d55e00", "#009e73", "#cc79a7"])
    for ((places, sharing), points), colour in zip(sorted(lines.items()), colours):
        points = [(x(count), y(float(row["seconds"]))) for count, row in sorted(points.items())]
        path = " L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        dash = ' stroke-dasharray="5 4"' if sharing == "none" else ""
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        name = f"{places} place{'s' if places != '1' else ''}, --sharing {sharing}"
        at = (points[-1][0] + 8, points[-1][1] + 4)
        parts.append(text(at, name, "start").replace("<text", f'<text fill="{colour}"'))
    place.write_text("\n".join(parts + ["</svg>"]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("psychic", nargs="?")
    parser.add_argument("--sharing", default="full", choices=("full", "none"))
    parser.add_argument("--most", type=int, default=COUNTS[-1])
    parser.add_argument("--figures", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()
    if options.plot:
        if not options.figures:
            parser.error("--plot draws what is in --figures")
        with open(options.figures, newline="") as file:
            return plot(list(csv.DictReader(file)), options.plot)
    if not options.psychic:
        parser.error("which psychic?")
    # File systems look for new files around those that were removed lately, which takes as long as
    # compiling: nothing is removed before the end.
    with tempfile.TemporaryDirectory() as scratch:
        for places, count in itertools.product((1, 4), COUNTS):
            if count > options.most:
                continue
            subject = pathlib.Path(scratch) / f"{count}-at-{places}"
            row = measure(options.psychic, count, places, options.sharing, subject)
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

#!/usr/bin/env python3
"""Checks that options which must not change any verdict of a subject do not.

    scripts/options.py PSYCHIC [SUBJECT...] [--all] [--figures FILE]

Runs each subject with the default options, then with other searches, without sharing, without joins,
with one worker, for open pairs only, and for all clusterings: one option at a time and some of them
together. With `--all`, runs every combination of sharing, joins, workers and searches. Fails if a
verdict differs from the default run's, unless one of the two is `unknown`. Prints a line for each run,
and writes it to a CSV file. Without SUBJECT, runs all subjects in patches/ that are not packages.
"""

import argparse
import csv
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHOICES = (
    ("--sharing", "none"),
    ("--no-join",),
    ("--jobs", "1"),
    ("--until", "pairs"),
    ("--until", "trees", "--time-budget", "20s"),
    ("--search", "shortest"),
    ("--search", "dfs"),
    ("--search", "bfs"),
    ("--search", "random-path", "--seed", "7"),
    ("--search", "coverage"),
)
TOGETHER = (
    ("--sharing", "none", "--no-join", "--search", "dfs"),
    ("--no-join", "--jobs", "1", "--search", "bfs", "--until", "pairs"),
    ("--sharing", "none", "--until", "trees", "--search", "random-path", "--time-budget", "20s"),
)
COLUMNS = ("subject", "options", "pairs", "other", "unknown_in_one", "seconds")
SEARCHES = ("directed", "shortest", "dfs", "bfs", "random-path", "coverage")


def every():
    for sharing, join, jobs, search in itertools.product(
            (("--sharing", "full"), ("--sharing", "none")), ((), ("--no-join",)),
            (("--jobs", "1"), ("--jobs", "2")), SEARCHES):
        yield (*sharing, *join, *jobs, "--search", search)


def verdicts(psychic, subject, options):
    with tempfile.TemporaryDirectory() as scratch:
        begun = time.monotonic()
        done = subprocess.run([psychic, "diff", subject, "--out", f"{scratch}/out", *options],
                              capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{subject.name} {' '.join(options)}: {done.stderr}")
        with open(f"{scratch}/out/pairs.csv", newline="") as file:
            found = {(row["a"], row["b"]): row["verdict"] for row in csv.DictReader(file)}
    return found, time.monotonic() - begun


def subjects():
    for config in sorted(ROOT.glob("patches/**/subject.toml")):
        if "package" not in config.read_text():
            yield config.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("psychic")
    parser.add_argument("subjects", nargs="*", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--figures", type=pathlib.Path)
    arguments = parser.parse_args()
    figures = open(arguments.figures, "w", newline="") if arguments.figures else None
    writer = csv.DictWriter(figures, COLUMNS, lineterminator="\n") if figures else None
    if writer:
        writer.writeheader()
    runs = wrong = 0
    for subject in arguments.subjects or subjects():
        usual, _ = verdicts(arguments.psychic, subject, ())
        for options in every() if arguments.all else CHOICES + TOGETHER:
            found, seconds = verdicts(arguments.psychic, subject, options)
            others = [pair for pair in usual.keys() | found.keys()
                      if found.get(pair) != usual.get(pair)]
            differ = [pair for pair in others if "unknown" not in (found.get(pair), usual.get(pair))]
            runs, wrong = runs + 1, wrong + len(differ)
            row = dict(zip(COLUMNS, (subject.name, " ".join(options), len(usual), len(differ),
                                     len(others) - len(differ), f"{seconds:.2f}")))
            print(*row.values(), *differ, sep=",", flush=True)
            if writer:
                writer.writerow(row)
                figures.flush()
    print(f"{runs} runs, {wrong} verdicts are others")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

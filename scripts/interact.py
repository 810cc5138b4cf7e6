#!/usr/bin/env python3
"""Writes results/interact/sequences.csv and results/interact/isolation.csv: what `psychic interact` finds in
the programs of tests/interact and in patches of coreutils' cut, in the form of the two tables of "Regression
tests to expose change interaction errors" (Böhme, Oliveira and Roychoudhury, ESEC/FSE 2013).

    scripts/interact.py PSYCHIC

The programs are extracts of our own of what the paper shows; its subjects were whole utilities, explored for
five minutes each, so its averages stand in a row of their own, as the paper words them. Each program is judged by
a later version, and by assertions and memory errors alone. Fails if a critical sequence is not the expected one,
which is the paper's for the extracts.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The name, the subject, the patch, what is right, and the critical sequences.
RUNS = (
    ("cut-ranges", "tests/interact/cut-ranges", 1, 2, ["1; 5; 7"]),
    ("cut-ranges", "tests/interact/cut-ranges", 1, None, ["1; 5; 7"]),
    ("cut-overflow", "tests/interact/cut-overflow", 1, 2, ["56; 63"]),
    ("cut-overflow", "tests/interact/cut-overflow", 1, None, ["56; 63"]),
    ("coreutils-cut 13", "patches/coreutils-cut", 13, 1, ["196; 205"]),
    ("coreutils-cut 1", "patches/coreutils-cut", 1, None, []),
)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def share(part, whole):
    return f"{100 * part / whole:.0f}" if whole else ""


def of_kind(tests, critical):
    chosen = [row for row in tests if (row["critical"] == "true") == critical]
    return len(chosen), sum(row["error"] != "" for row in chosen)


def counts(tests):
    """Tests, those that show a difference, those with an error, and whether a critical sequence shows."""
    error = [row for row in tests if row["error"]]
    interaction = any(row["critical"] == "true" for row in error)
    differ = sum(row["differs"] == "true" for row in tests)
    return [len(tests), differ, len(error), "yes" if interaction else "no"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    psychic = pathlib.Path(sys.argv[1]).resolve()
    sequences, isolation = [], []
    for name, subject, patch, later, expected in RUNS:
        oracle, options = ("errors", []) if later is None else ("later version", ["--later", str(later)])
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "out"
            command = [psychic, "interact", ROOT / subject, "--patch", str(patch), *options]
            done = subprocess.run([*command, "--out", out], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{name}: {done.stdout}{done.stderr}")
            tests, critical = rows(out / "sequences.csv"), rows(out / "critical.csv")
        found = [row["sequence"] for row in critical]
        if found != expected:
            sys.exit(f"{name}: critical sequences {found}, not {expected}")
        for kind, is_critical in (("non critical", False), ("critical", True)):
            number, errors = of_kind(tests, is_critical)
            sequences.append([name, oracle, kind, number, share(number, len(tests)), errors,
                              share(errors, number)])
        isolated = [row for row in tests if row["isolated"] == "true"]
        isolation.append([name, oracle, ", ".join(expected), *counts(tests), *counts(isolated)])
    sequences.append(["published", "later versions", "critical", "", "one in five", "",
                      "ten times as likely as on others"])
    isolation.append(["published", "later versions", "two in three errors", "", "one in four", "one in five",
                      "all", "", "one in five", "one in fifteen", "half"])
    tables = (
        ("sequences", ["subject", "oracle", "sequence", "tests", "percent", "errors", "percent_errors"],
         sequences),
        ("isolation", ["subject", "oracle", "critical", "tests", "differ", "errors", "interaction_error",
                       "isolated_tests", "isolated_differ", "isolated_errors",
                       "isolated_interaction_error"], isolation),
    )
    for name, head, table in tables:
        path = ROOT / "results/interact" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(table)
        print(f"{path.relative_to(ROOT)}: {len(table)} rows")


main()

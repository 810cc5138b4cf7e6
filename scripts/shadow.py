#!/usr/bin/env python3
"""Writes results/shadow/table2.csv: the subjects of table 2 of "Shadow symbolic execution with Java
PathFinder" (Noller, Nguyen, Tang and Kehrer, 2017), by `psychic shadow`.

    scripts/shadow.py PSYCHIC

The subjects are programs of our own that do what the published ones do (tests/shadow/account); each
mutant is made here as a plain diff. The published numbers are beside ours: paths on which old and new
take different branches, found by ShadowJPF (SWPF) and by Shadow on KLEE (SW), with ShadowJPF's time and
memory. Those tools follow one concrete input. We explore from the start, so ours are the paths of all
inputs in the bounds; where the numbers differ, the row says why. Fails if a row differs from what is
explained here.
"""

import collections
import csv
import difflib
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tests/shadow/account"
COLUMNS = ("subject", "type", "psychic", "SWPF", "SW", "psychic_seconds", "psychic_mb", "SWPF_seconds",
           "SWPF_mb", "equal", "why")

PRINT = '\tif (a > 0) {\n\t\tputs("deposit");\n\t}\n'
RETURN = "\tif (a > balance) {\n\t\treturn;\n\t}\n"
SECOND_RETURN = "\t\tassert(0);\n\t\treturn;\n"
DEPOSIT = [("a > 0", "a != 0"), ("a > 0", "a >= 0"), ("a > 0", "0"), (PRINT, "\tif (a > 0) {\n\t}\n"),
           ("balance + a", "balance * a"), ("balance + a", "balance - a"), ("balance + a", "balance / a"),
           ("balance + a", "balance")]
WITHDRAW_TEST = [("a > balance", "a != balance"), ("a > balance", "a >= balance"), ("a > balance", "0"),
                 (RETURN, "\tif (a > balance) {\n\t}\n")]
REST = [(SECOND_RETURN, "\t\tassert(0);\n"), ("balance - a", "balance * a"),
        ("balance - a", "balance + a"), ("balance - a", "balance / a"), ("balance - a", "balance")]


def limit(name):
    return [(f"{name} >= 5", f"{name} == 5"), (f"{name} >= 5", f"{name} > 5"), (f"{name} >= 5", "1")]


MAIN = (DEPOSIT + WITHDRAW_TEST + limit("withdrawals") + REST
        + [("withdrawals + 1", "withdrawals"), ("if (x)", "if (0)"), ("if (x)", "if (1)")])
TOGETHER = ["1_13", "2_22", "15_23", "5_18", "3_23", "17_22", "3_10_22", "5_18_23"]
NEGATE = [("\t}\n\tif (y > 1)", "\t}\n\ty = -y;\n\tif (y > 1)")]
SUBJECTS = (
    ("Foo", ROOT / "patches/foo/foo.c", "foo", {}, NEGATE, []),
    ("deposit", SOURCES / "account.c", "deposit_entry", {"a": (-100, 100)}, DEPOSIT, []),
    ("withdraw", SOURCES / "account.c", "withdraw_entry", {"a": (-100, 100), "n": (-100, 100)},
     WITHDRAW_TEST + limit("n") + REST, []),
    ("main", SOURCES / "main.c", "test", {"x": (0, 1), "w": (-100, 100), "d": (-100, 100)}, MAIN,
     TOGETHER),
)

# Type, SWPF's seconds, MB and paths, SW's paths.
PUBLISHED = {
    "Foo": "- 2 690 2 2", "deposit_1": "ROR <1 245 1 1", "deposit_2": "ROR <1 245 1 1",
    "deposit_3": "ROR <1 245 1 1", "deposit_4": "STD <1 245 1 1", "deposit_5": "AOR <1 245 0 0",
    "deposit_6": "AOR <1 245 0 0", "deposit_7": "AOR <1 245 1 1", "deposit_8": "STD <1 245 0 0",
    "withdraw_1": "ROR 1 245 1 1", "withdraw_2": "ROR <1 245 1 1", "withdraw_3": "ROR <1 245 2 2",
    "withdraw_4": "STD <1 245 2 2", "withdraw_5": "ROR <1 245 1 1", "withdraw_6": "ROR <1 245 1 1",
    "withdraw_7": "ROR <1 245 1 1", "withdraw_8": "STD <1 245 0 0", "withdraw_9": "AOR <1 245 0 0",
    "withdraw_10": "AOR <1 245 0 0", "withdraw_11": "AOR <1 245 1 0", "withdraw_12": "STD <1 245 0 0",
    "main_1": "ROR <1 245 1 1", "main_2": "ROR <1 245 1 1", "main_3": "ROR <1 245 1 1",
    "main_4": "STD <1 245 1 1", "main_5": "AOR <1 245 0 0", "main_6": "AOR <1 245 0 0",
    "main_7": "AOR <1 245 0 0", "main_8": "STD <1 245 0 0", "main_9": "ROR <1 245 1 1",
    "main_10": "ROR <1 245 1 1", "main_11": "ROR <1 245 1 1", "main_12": "STD <1 245 1 1",
    "main_13": "ROR <1 245 0 0", "main_14": "ROR <1 245 0 0", "main_15": "ROR <1 245 1 1",
    "main_16": "STD <1 245 0 0", "main_17": "AOR <1 245 0 0", "main_18": "AOR <1 245 0 0",
    "main_19": "AOR <1 245 1 0", "main_20": "STD <1 245 0 0", "main_21": "STD <1 245 0 0",
    "main_22": "ROR <1 245 2 2", "main_23": "ROR <1 245 2 2", "main_1_13": "MUL <1 245 1 1",
    "main_2_22": "MUL <1 245 3 3", "main_15_23": "MUL <1 245 2 2", "main_5_18": "MUL <1 245 0 0",
    "main_3_23": "MUL 1 245 2 2", "main_17_22": "MUL <1 245 2 2", "main_3_10_22": "MUL 1 245 1 1",
    "main_5_18_23": "MUL <1 245 2 2",
}
WHY = {
    "Foo": "their input is x = -1; positive x have two more",
    "main_7": "their input has d = 10; d = 0 divides by zero",
    "main_15_23": "their input has x = 0; x = 1 has one more, where the assertion fails at once",
    "main_3_10_22": "their input has one x; the other one has one more",
}


def mutated(text, edits):
    for old, new in edits:
        if text.count(old) != 1:
            sys.exit(f"{old!r} is {text.count(old)} times in the source")
        text = text.replace(old, new)
    return text


def subject(directory, name, source, entry, params, mutants, together):
    """Makes a subject, and returns the names of its revisions."""
    text = source.read_text()
    edits = {f"{name}_{number}": [edit] for number, edit in enumerate(mutants, 1)}
    for numbers in together:
        edits[f"{name}_{numbers}"] = [mutants[int(number) - 1] for number in numbers.split("_")]
    if len(mutants) == 1:
        edits = {name: mutants}
    (directory / source.name).write_text(text)
    names = list(edits)
    for number, mutant in enumerate(names):
        new = mutated(text, edits[mutant])
        lines = difflib.unified_diff(text.splitlines(True), new.splitlines(True), f"a/{source.name}",
                                     f"b/{source.name}")
        (directory / f"{number:02}.diff").write_text("".join(lines))
    ranges = "".join(f"{p} = {{ min = {low}, max = {high} }}\n" for p, (low, high) in params.items())
    flags = 'flags = ["-fwrapv"]\n' if not params else ""
    (directory / "subject.toml").write_text(
        f'name = "{name}"\nsources = ["{source.name}"]\npatches = ["*.diff"]\nentry = "{entry}"\n'
        f"[build]\n{flags}[inputs.params]\n{ranges}[outputs]\nstderr = false\n")
    return names


def rows(psychic):
    for name, *parts in SUBJECTS:
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            (scratch / "in").mkdir()
            names = subject(scratch / "in", name, *parts)
            command = [psychic, "shadow", scratch / "in", "--out", scratch / "out"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{name}: {done.stdout}{done.stderr}")
            with open(scratch / "out/divergences.csv", newline="") as file:
                found = collections.Counter(int(row["new"]) for row in csv.DictReader(file))
            with open(scratch / "out/summary.csv", newline="") as file:
                summary = next(csv.DictReader(file))
        for revision, mutant in enumerate(names, 1):
            kind, seconds, memory, swpf, sw = PUBLISHED[mutant].split()
            ours = found[revision]
            equal = str(ours) == swpf
            yield {"subject": mutant, "type": kind, "psychic": ours, "SWPF": swpf, "SW": sw,
                   "psychic_seconds": f"{float(summary['seconds']) / len(names):.2f}",
                   "psychic_mb": summary["peak_mb"], "SWPF_seconds": seconds, "SWPF_mb": memory,
                   "equal": "yes" if equal else "no", "why": "" if equal else WHY.get(mutant, "?")}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = list(rows(pathlib.Path(sys.argv[1]).resolve()))
    if sorted(row["subject"] for row in table) != sorted(PUBLISHED):
        sys.exit("the subjects are not those of the table")
    out = ROOT / "results/shadow/table2.csv"
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    unexplained = [row["subject"] for row in table if row["why"] == "?"]
    equal = sum(row["equal"] == "yes" for row in table)
    print(f"{out.relative_to(ROOT)}: {len(table)} rows, {equal} as published")
    if unexplained:
        sys.exit(f"not explained: {', '.join(unexplained)}")


main()

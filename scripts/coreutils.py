#!/usr/bin/env python3
"""Explores programs of coreutils that scripts/programs.sh has built, as KLEE's authors did (OSDI
2008): with two arguments and standard input, for a fixed time each. Every path becomes a test, which
is run natively and compared. scripts/coreutils.py [--seconds N] [PROGRAM...] puts the rows of these
programs into results/bench/coreutils.csv; with N other than the default, it only prints them.
"""

import argparse
import csv
import datetime
import os
import pathlib
import re
import subprocess
import tempfile
import time

from bench import MEMORY, PSYCHIC, TOP, machine

PROGRAMS = """basename cat cksum comm cut dirname echo expand expr factor fold head join nl numfmt od
    paste printf pwd seq sort sum tac tail test tr true unexpand uniq wc""".split()
BUILT = pathlib.Path(os.environ.get("PSYCHIC_CACHE", TOP / ".cache")) / "programs/coreutils"
INPUT = "--sym-args 0 2 4 --sym-stdin 8".split()
SECONDS = 60
# Seconds beyond the time given: the last query, the tests and their native runs come after it. A
# command that is still running then is interrupted, and killed after as many seconds more.
GRACE = 150
HEADER = """date machine program seconds_given exit finished paths errors unsupported left loose
    concretised instructions queries seconds lines_covered lines branches_covered branches tests
    replayed mismatches peak_mb""".split()


def read(path):
    """The rows of a table; none if there is no file."""
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def run(command):
    """Exit status, output, seconds and peak memory in MiB of a command."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        said.seek(0)
        text = said.read()
    return os.waitstatus_to_exitcode(status), text, seconds, usage.ru_maxrss / 1024


def explore(program, given, scratch):
    """Explores one program: its row of the table, and lines about what went wrong."""
    out = scratch / program
    status, said, seconds, peak = run([
        "timeout", "--signal=INT", f"--kill-after={GRACE}", str(given + GRACE),
        PSYCHIC, "explore", BUILT / f"{program}.bc", "--out", out, "--jobs", "1",
        "--time-budget", f"{given}s", "--tests", "all", "--native", BUILT / program, *INPUT,
    ])
    stats = {row["phase"]: row["count"] for row in read(out / "stats.csv")}
    states = read(out / "states.csv")
    halts = [row["halt"] for row in states]
    notes = [row["approximations"] for row in states]
    left = [halt for halt in halts if halt.startswith("incomplete")]
    late = sum(halt == "incomplete (time budget)" for halt in left)
    # Halts that are no errors; docs/formats.md lists all of them.
    fine = ("exit", "abort", "signal", "hang", "silent", "incomplete")
    native = re.search(r"(\d+) tests run natively, (\d+) of them", said)
    row = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "program": program,
        "seconds_given": given,
        "exit": status,
        "finished": "yes" if status in (0, 1) and not late else "no",
        "paths": len(states) - len(left),
        "errors": sum(not halt.startswith(fine) for halt in halts),
        "unsupported": len(left) - late,
        "left": late,
        "loose": sum("modelled loosely" in note for note in notes),
        "concretised": sum("concretised" in note for note in notes),
        "instructions": stats.get("instructions", ""),
        "queries": stats.get("solver.slicing", ""),
        "seconds": f"{seconds:.1f}",
        "lines_covered": stats.get("lines.covered", ""),
        "lines": stats.get("lines", ""),
        "branches_covered": stats.get("branches.covered", ""),
        "branches": stats.get("branches", ""),
        "tests": stats.get("tests", ""),
        "replayed": native[1] if native else "",
        "mismatches": native[2] if native else "",
        "peak_mb": f"{peak:.0f}",
    }
    # Reasons and mismatches follow the summary, indented.
    lines = said.splitlines()
    wrong = [line for line in lines if line.startswith("  ") and "time budget" not in line]
    return row, wrong if status in (0, 1) else lines[-10:]


def write(path, rows):
    """Writes the rows, given by program, in the order of the programs' names."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[program] for program in sorted(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("programs", nargs="*", default=PROGRAMS, metavar="PROGRAM")
    arguments = parser.parse_args()
    shown = HEADER[2:]
    print(*shown, sep="\t")
    table = TOP / "results/bench/coreutils.csv"
    rows = {row["program"]: row for row in read(table)}
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        for program in arguments.programs:
            row, wrong = explore(program, arguments.seconds, pathlib.Path(name))
            rows[program] = row
            if arguments.seconds == SECONDS:
                write(table, rows)
            print(*(row[column] for column in shown), sep="\t", flush=True)
            for line in wrong:
                print(f"  {line.strip()}", flush=True)


main()

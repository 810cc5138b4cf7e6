"""Has another solver decide again the queries that verdicts rest on; writes results/recheck.csv.

    psychic diff patches/foo --emit-smt2 /tmp/queries
    python3 scripts/recheck.py /tmp/queries --subject foo

Every file says which answer it had (`:status`). The other solver is Z3, which shares no code with
Bitwuzla or Psychic; it is installed once, from PyPI, into an environment of its own in the cache.
Replaces the row of the subject in the CSV, and keeps the others. Exits with 1 if an answer differs.
"""

import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import sys
import time
import venv

TOP = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("PSYCHIC_CACHE", TOP / ".cache"))
PACKAGE = "z3-solver==5.4.1.0"
COLUMNS = ["subject", "queries", "agree", "disagree", "undecided", "seconds"]
STATUS = re.compile(r"^\(set-info :status (sat|unsat)\)", re.MULTILINE)


def solver():
    """The executable of the solver, which is installed first if necessary."""
    environment = CACHE / "recheck"
    executable = environment / "bin/z3"
    stamp = environment / "stamp"
    if not (stamp.is_file() and stamp.read_text() == PACKAGE):
        print(f"installing {PACKAGE} into {environment}", file=sys.stderr)
        venv.create(environment, with_pip=True, clear=True)
        pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--disable-pip-version-check", PACKAGE], check=True)
        stamp.write_text(PACKAGE)
    return executable


def decide(executable, query, limit):
    """`agree`, `disagree` or `undecided`, and what the solver said."""
    expected = STATUS.search(query.read_text())
    if expected is None:
        sys.exit(f"{query}: no status")
    try:
        # The solver's own limit ends it cleanly; the timeout is for cases in which it ignores that.
        run = subprocess.run(
            [executable, f"-T:{limit}", "-smt2", query],
            capture_output=True,
            text=True,
            timeout=limit + 5,
        )
    except subprocess.TimeoutExpired:
        return "undecided", "timeout"
    answer = run.stdout.split("\n", 1)[0].strip()
    if answer in ("sat", "unsat"):
        return ("agree" if answer == expected[1] else "disagree"), answer
    return "undecided", answer or run.stderr.strip()


def recheck(directory, limit, jobs, sample):
    """Decides the queries of a directory; returns the numbers of answers by kind, and the time."""
    # Names end in digests of the files' content: sorted by these, the first are a random sample.
    queries = sorted(directory.glob("*.smt2"), key=lambda query: query.stem.split("-")[-1])
    if not queries:
        sys.exit(f"no queries in {directory}")
    executable = solver()
    counts = {"agree": 0, "disagree": 0, "undecided": 0}
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        asked = queries[:sample]
        answers = pool.map(lambda query: decide(executable, query, limit), asked)
        for query, (kind, answer) in zip(asked, answers):
            counts[kind] += 1
            if kind != "agree":
                print(f"{kind}: {query}: {answer}", file=sys.stderr)
    return {"queries": len(queries), **counts, "seconds": f"{time.monotonic() - begin:.1f}"}


def keep(out, row):
    """Puts the row into the CSV, in place of an earlier one of the same subject."""
    rows = []
    if out.is_file():
        with out.open(newline="") as file:
            rows = [old for old in csv.DictReader(file) if old["subject"] != row["subject"]]
    rows = sorted([*rows, row], key=lambda row: row["subject"])
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", type=pathlib.Path, help="what --emit-smt2 has written")
    parser.add_argument("--subject", help="its name in the CSV [default: that of the directory]")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one query [60]")
    parser.add_argument("--sample", type=int, help="ask so many of them, chosen at random [all]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="solvers at a time")
    parser.add_argument("--out", type=pathlib.Path, default=TOP / "results/recheck.csv")
    arguments = parser.parse_args()
    counts = recheck(arguments.directory, arguments.limit, arguments.jobs, arguments.sample)
    row = {"subject": arguments.subject or arguments.directory.resolve().name, **counts}
    keep(arguments.out, row)
    print(", ".join(f"{name} {row[name]}" for name in COLUMNS))
    return 1 if row["disagree"] else 0


if __name__ == "__main__":
    sys.exit(main())

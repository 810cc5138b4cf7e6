#!/usr/bin/env python3
"""Measures how long psychic takes to decide the patches of students' programs, and checks its proofs.

    scripts/everyday.py PSYCHIC [--budget 30s] [--inputs N] [--figures FILE] [NAME...]

Runs psychic on each program of patches/everyday on one core, and prints a line for it. Then every
revision that is proved equivalent to another one is compiled on its own, with nothing but the compiler,
and run on N random inputs. Fails if two revisions that are called equivalent differ on an input, unless
both run into an error there (for `equivalent-unless-failing`, unless one of them does). The check shares
nothing with psychic but the form of the inputs: lines of numbers and letters.
"""

import argparse
import collections
import concurrent.futures
import csv
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUBJECTS = ROOT / "patches" / "everyday"
sys.path.insert(0, str(ROOT / "tests" / "soundness"))

import separately

# Inputs of one run of the runner, which keeps all output in memory.
AT_ONCE = 500
# Limits of a run: the usual one, and the one for runs that seem to differ.
MILLISECONDS, PATIENCE = 20, 1000
# At most so many differing inputs of a pair are run under the sanitizers.
LOOKED_AT = 20


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def patched(subject, patch, scratch):
    source = scratch / "program.c"
    source.write_text((subject / "program.c").read_text())
    if patch:
        subprocess.run(["patch", "-s", source, subject / patch], check=True)
    return source.read_text()


def inputs(count, name):
    """Random inputs that are well-formed, as proofs of equivalence assume, with a newline at the end:
    numbers (near zero, large, with decimals if all reads are floats) or, for programs that read text,
    also lines of letters."""
    rng = random.Random(name)
    integer = (lambda: str(rng.randint(-3, 3)), lambda: str(rng.randint(0, 120)),
               lambda: str(rng.randint(-2**31, 2**31 - 1)))
    decimal = lambda: f"{rng.uniform(0, 100):.2f}"
    letters = lambda: "".join(rng.choice("aeiouyxzAE ,09") for _ in range(rng.choice((3, 9, 30))))
    word = lambda: letters().strip() or "a"
    if name in ("grade-ladder", "grade-letters"):
        kinds = (*integer, decimal)
    elif name.startswith(("checksum", "syllables")) or name == "digits-characters":
        kinds = (*integer, word)
    else:
        kinds = integer
    for _ in range(count):
        kind = rng.choice(kinds)
        yield (), ("\n".join(kind() for _ in range(8)) + "\n").encode()


def wrong(subject, rows, revisions, count):
    """The pairs that are called equivalent and differ on some input, with that input."""
    pairs = [(int(row["a"]), int(row["b"]), row["verdict"]) for row in rows
             if row["verdict"].startswith("equivalent")]
    wanted = sorted({revision for a, b, _ in pairs for revision in (a, b)})
    if not wanted:
        return []
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        tools = separately.runner(scratch)
        alone = {r: separately.Revision(scratch / f"r{r}",
                                        {"program.c": patched(subject, revisions[r], scratch)}, tools)
                 for r in wanted}
        given = list(dict.fromkeys(inputs(count, subject.name)))

        def outcomes(revision):
            found = []
            for at in range(0, len(given), AT_ONCE):
                found += revision.execute(given[at:at + AT_ONCE], "zero", MILLISECONDS)
            return found

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            shown = dict(zip(wanted, pool.map(outcomes, alone.values())))

        def errs(revision, text):
            return revision.fails(text) or revision.uses_unwritten(text)

        def differ(a, b, text):
            x, y = (alone[r].execute([text], "zero", PATIENCE) for r in (a, b))
            return x != y

        found = []
        for a, b, verdict in pairs:
            excused = any if verdict == "equivalent-unless-failing" else all
            differing = (text for text, x, y in zip(given, shown[a], shown[b])
                         if x != y and differ(a, b, text))
            found += [(a, b, text[1]) for text in itertools.islice(differing, LOOKED_AT)
                      if not excused(errs(alone[r], text) for r in (a, b))]
    return found


def on_one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("psychic")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--budget", default="30s")
    parser.add_argument("--inputs", type=int, default=20000)
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    names = options.names or sorted(path.name for path in SUBJECTS.iterdir())
    figures, failed = [], False
    for name in names:
        subject = SUBJECTS / name
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            begin = time.monotonic()
            command = [options.psychic, "diff", subject, "--out", out, "--jobs", "1",
                       "--time-budget", options.budget]
            done = subprocess.run(command, capture_output=True, text=True, preexec_fn=on_one_core)
            seconds = time.monotonic() - begin
            if done.returncode > 1:
                sys.exit(f"{name}: {done.stderr}")
            rows = table(out / "pairs.csv")
            revisions = {int(row["revision"]): row["patch"] for row in table(out / "revisions.csv")}
            summary = table(out / "summary.csv")[0]
            differ = wrong(subject, rows, revisions, options.inputs)
        verdicts = collections.Counter(row["verdict"] for row in rows)
        figure = {"program": name, "revisions": summary["revisions"], "seconds": f"{seconds:.1f}",
                  "distinguished": verdicts["distinguished"], "equivalent": verdicts["equivalent"],
                  "equivalent_unless_failing": verdicts["equivalent-unless-failing"],
                  "unknown": verdicts["unknown"], "mismatches": summary["mismatches"],
                  "tests": summary["tests"], "height": summary["height"],
                  "native_inputs": options.inputs, "wrong": len(differ)}
        figures.append(figure)
        print(*figure.values(), sep=",", flush=True)
        for a, b, text in differ[:3]:
            failed = True
            print(f"  {a} and {b} are called equivalent, and differ on {text!r}", flush=True)
    if options.figures:
        with open(options.figures, "w", newline="") as file:
            writer = csv.DictWriter(file, figures[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(figures)
    sys.exit(failed)


if __name__ == "__main__":
    main()

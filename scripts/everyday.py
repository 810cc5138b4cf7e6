#!/usr/bin/env python3
"""Students' programs: how long psychic takes to decide their patches, and whether it is right.

    scripts/everyday.py PSYCHIC [--budget 30s] [--inputs N] [--figures FILE] [NAME...]

Runs psychic on each program of patches/everyday with one worker, and prints a line for it. Then every
revision that is proved equivalent to another one is compiled on its own by the compiler alone, and run
on N random inputs; where two of them differ, this fails. It shares nothing with psychic but the inputs'
form: lines of numbers and letters.
"""

import argparse
import collections
import csv
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent / "patches" / "everyday"
COMPILER = ["clang-19", "-w", "-O0", "-ftrivial-auto-var-init=zero", "-Wno-error=implicit-function-declaration"]
# Of a run that does not end, this much counts.
PREFIX = 4096
LIMIT = 1 << 16


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def compiled(subject, patch, scratch, name):
    source = scratch / f"{name}.c"
    source.write_text((subject / "program.c").read_text())
    if patch:
        subprocess.run(["patch", "-s", source, subject / patch], check=True)
    program = scratch / name
    subprocess.run([*COMPILER, source, "-o", program, "-lm"], check=True, capture_output=True)
    return program


def shown(program, text):
    command = ["timeout", "-s", "KILL", "0.3", "stdbuf", "-o0", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as run:
        try:
            run.stdin.write(text)
            run.stdin.close()
        except BrokenPipeError:
            pass
        output = run.stdout.read(LIMIT)
        cut = len(output) == LIMIT
        if cut:
            run.kill()
        code = run.wait()
    endless = cut or code in (-9, 137)
    return (None, output[:PREFIX]) if endless else (code, output)


def inputs(count, name):
    """Well-formed ones, as proofs of equivalence say: numbers for programs that read numbers (near,
    far, and with decimals where all are floats), else lines of letters; a newline is at the end."""
    rng = random.Random(name)
    integer = (lambda: str(rng.randint(-3, 3)), lambda: str(rng.randint(0, 120)),
               lambda: str(rng.randint(-2**31, 2**31 - 1)))
    decimal = lambda: f"{rng.uniform(0, 100):.2f}"
    word = lambda: "".join(rng.choice("aeiouyxzAE ,09") for _ in range(rng.randint(1, 9))).strip() or "a"
    if name in ("grade-ladder", "grade-letters"):
        kinds = (*integer, decimal)
    elif name.startswith(("checksum", "syllables")) or name == "digits-characters":
        kinds = (*integer, word)
    else:
        kinds = integer
    for _ in range(count):
        kind = rng.choice(kinds)
        yield ("\n".join(kind() for _ in range(5)) + "\n").encode()


def wrong(subject, rows, revisions, count):
    """Pairs that are called equivalent and differ on some input."""
    classes = [(int(row["a"]), int(row["b"])) for row in rows if row["verdict"] == "equivalent"]
    wanted = sorted({revision for pair in classes for revision in pair})
    found = []
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        programs = {r: compiled(subject, revisions[r], scratch, f"r{r}") for r in wanted}
        for text in inputs(count, subject.name) if wanted else ():
            outcomes = {r: shown(program, text) for r, program in programs.items()}
            found += [(a, b, text) for a, b in classes if outcomes[a] != outcomes[b]]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("psychic")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--budget", default="30s")
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_args()
    names = options.names or sorted(path.name for path in ROOT.iterdir())
    figures, failed = [], False
    for name in names:
        subject = ROOT / name
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            begin = time.monotonic()
            command = [options.psychic, "diff", subject, "--out", out, "--jobs", "1",
                       "--time-budget", options.budget]
            done = subprocess.run(command, capture_output=True, text=True)
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

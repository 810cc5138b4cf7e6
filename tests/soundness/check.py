"""Runs psychic on random programs, and compares every claim with brute force.

    check.py PSYCHIC FIRST LAST [--keep DIR] [--jobs N] [--ways usual|in-turn|all]

For each seed in FIRST..LAST, a random program and 6 to 12 random mutants become a subject whose inputs
are bounded so narrowly that all of them can be run. Then the following must hold:

- no pair that is called equivalent differs on any input;
- every pair that differs on some input is called distinguished, or unknown with a reason;
- no replay contradicted the engine;
- the share of inputs that differ from the original is in the interval of shares.csv, always if all were
  counted and otherwise nearly so;
- if every region was visited, the tree is as low as one over the clusterings of all inputs, and the
  ranges of ranges.csv have inputs and cover all inputs.

The options in WAYS must not change any of this. Each subject is decided with the default options, with
`--ways in-turn` also with one of WAYS, and with `--ways all` with all of them.
"""

import argparse
import collections
import concurrent.futures
import csv
import difflib
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "native"))

import brute
import programs
from results import smallest_height


WAYS = [["--no-join"], ["--sharing", "none"], ["--sharing", "none", "--no-join"],
        ["--search", "dfs"], ["--search", "bfs"], ["--search", "random-path"],
        ["--search", "coverage"], ["--until", "pairs"], ["--until", "trees"], ["--all-paths"],
        ["--search", "random-path", "--no-join"], ["--search", "bfs", "--sharing", "none"]]


def write_subject(directory, seed, revisions, domain):
    """Writes the subject: the original, a diff for each mutant, and the bounds."""
    texts = [programs.Printer().program(program) for program in revisions]
    (directory / "p.c").write_text(texts[0])
    for number, text in enumerate(texts[1:], 1):
        diff = "".join(difflib.unified_diff(
            texts[0].splitlines(True), text.splitlines(True), "a/p.c", "b/p.c"))
        (directory / f"{number:02}.diff").write_text(diff)
    entry = "main" if domain["kind"] == "stdin" else "f"
    toml = [f'name = "random-{seed}"', 'sources = ["p.c"]', 'patches = ["*.diff"]',
            f'entry = "{entry}"', "[build]", 'flags = ["-fwrapv"]', "[budget]",
            'time = "60s"', "instructions = 300000", 'replay = "300ms"']
    if domain["kind"] == "function":
        toml.append("[inputs.params]")
        for name, _, elements, low, high in domain["params"]:
            of = f"elements = {elements}, " if elements else ""
            toml.append(f"{name} = {{ {of}min = {low}, max = {high} }}")
    (directory / "subject.toml").write_text("\n".join(toml) + "\n")


def table(results, name):
    with open(results / name, newline="") as file:
        return list(csv.DictReader(file))


def partition(clusters):
    """The clusters, renumbered in the order of their first occurrence."""
    numbers = {}
    return tuple(numbers.setdefault(cluster, len(numbers)) for cluster in clusters)


def refine(shapes):
    """The clusterings without the trivial one, which separates no pair."""
    return {shape for shape in shapes if len(set(shape)) > 1}


def check(seed, psychic, directory, ways):
    """Checks one seed; returns the problems, and counts."""
    rng = random.Random(seed + 5)
    revisions, domain = programs.family(seed, rng.randint(6, 12))
    subject = directory / "subject"
    subject.mkdir(parents=True)
    write_subject(subject, seed, revisions, domain)
    native = brute.run(revisions, domain, directory)
    problems, counts = [], collections.Counter()
    for number, way in enumerate([[], *ways(seed)]):
        found, of_way = check_way(psychic, subject, directory / f"results-{number}", way, native, domain)
        problems += [f"{' '.join(way)}: {problem}" if way else problem for problem in found]
        counts.update(of_way)
        counts["runs"] += 1
    return problems, counts


def check_way(psychic, subject, results, way, native, domain):
    """Checks the results of psychic with the options `way`; returns the problems, and counts."""
    done = subprocess.run([psychic, "diff", subject, "--out", results, "--jobs", "1", *way],
                          capture_output=True, text=True, timeout=900)
    if done.returncode not in (0, 1):
        return [f"exit {done.returncode}: {done.stderr[-500:]}"], collections.Counter()
    problems, counts = [], collections.Counter()
    rejected = [row for row in table(results, "revisions.csv") if row["status"] == "rejected"]
    problems += [f"rejected: {row['patch']}: {row['reason']}" for row in rejected]
    live = [int(row["revision"]) for row in table(results, "revisions.csv")
            if row["status"] != "rejected"]
    separated = {}
    for values, shape in native.items():
        for a, b in itertools.combinations(live, 2):
            if shape[a] != shape[b]:
                separated.setdefault((a, b), values)
    unknown = False
    for row in table(results, "pairs.csv"):
        pair = int(row["a"]), int(row["b"])
        counts[row["verdict"]] += 1
        if row["verdict"] == "equivalent" and pair in separated:
            problems.append(f"LIE {pair} called equivalent, differs on {separated[pair]}")
        if row["verdict"] == "distinguished" and pair not in separated:
            if domain["kind"] == "function":
                problems.append(f"LIE {pair} distinguished by test {row['test']}, never differs")
            else:
                counts["outside"] += 1
        if row["verdict"] == "unknown":
            unknown = True
            if pair in separated:
                counts["missed"] += 1
            else:
                counts["unproved"] += 1
            if not row["reason"]:
                problems.append(f"{pair} unknown without a reason")
            counts["why: " + row["reason"]] += 1
    summary = table(results, "summary.csv")[0]
    if summary["mismatches"] != "0":
        text = (results / "mismatches.txt").read_text() if (results / "mismatches.txt").exists() \
            else next((p.read_text() for p in results.glob("mismatch*")), "")
        problems.append("MISMATCH " + text[:400])
    counts["inputs"] += len(native)
    problems += check_shares(results, native, domain, counts)
    if not rejected and not unknown:
        cut = ["not every region", "paths were followed for open pairs only"]
        complete = not any(text in done.stdout for text in cut)
        counts["complete"] += complete
        problems += check_shapes(results, native, domain, summary, complete, counts)
    return problems, counts


def check_shares(results, native, domain, counts):
    """Checks the shares of inputs that differ from the original: if every input was counted, none may
    be outside its interval; else one in twenty may, but not by far. Returns the problems."""
    if domain["kind"] != "function":
        return []
    problems = []
    for row in table(results, "shares.csv"):
        revision, samples = int(row["revision"]), int(row["samples"])
        if not samples:
            continue
        true = sum(shape[revision] != shape[0] for shape in native.values()) / len(native)
        low, high = float(row["changed_low"]), float(row["changed_high"])
        counts["shares"] += 1
        counts["shares not known"] += float(row["unknown"]) > 0
        outside = max(low - true, true - high)
        counts["shares outside"] += outside > 1e-6
        if outside > (1e-6 if samples == len(native) else 0.03):
            problems.append(f"SHARE of {revision}: {true:.6f} is not from {low} to {high}")
    return problems


def check_shapes(results, native, domain, summary, complete, counts):
    """Checks the clusterings, the height and the ranges; returns the problems."""
    problems = []
    tests = {}
    for row in table(results, "clusters.csv"):
        tests.setdefault(row["test"], {})[int(row["revision"])] = int(row["cluster"])
    shapes = refine(set(native.values()))
    if domain["kind"] == "function":
        for test, clusters in tests.items():
            # A test may have no outcome for a revision.
            of = sorted(clusters)
            shown_here = partition(clusters[r] for r in of)
            if any(shown_here) and shown_here not in {partition(s[r] for r in of) for s in shapes}:
                problems.append(f"LIE test {test} clusters as no input does: {clusters}")
    wanted = smallest_height({str(i): dict(enumerate(s)) for i, s in enumerate(sorted(shapes))},
                             range(len(next(iter(native.values())))))
    height = int(summary["height"])
    if height < wanted:
        problems.append(f"LIE tree of height {height}, brute force needs {wanted}")
    if height > wanted and complete:
        problems.append(f"HEIGHT {height}, brute force {wanted}")
    if (results / "ranges.csv").exists():
        counts["ranges"] += 1
        problems += check_ranges(results, native, domain, tests, complete)
    return problems


def check_ranges(results, native, domain, tests, complete):
    """Checks that the ends of every range are inputs that cluster as it says, and that every input is in
    some range; returns the problems."""
    if domain["kind"] != "function" or any(p[2] for p in domain["params"]):
        return []
    problems = []
    width = {"unsigned char": 8, "unsigned": 32}
    ranged = [width.get(p[1]) for p in domain["params"]]
    # ranges.csv reads every value as a signed number.
    native = {tuple(v - (1 << w) if w and v >> (w - 1) else v for v, w in zip(values, ranged)): s
              for values, s in native.items()}
    names = [p[0] for p in domain["params"]]
    cells = {}
    for row in table(results, "ranges.csv"):
        name = row["input"].split(":")[0]
        cells.setdefault(row["cell"], (row["test"], {}))[1][name] = (int(row["low"]), int(row["high"]))
    alike = {revision: 0 for revision in range(len(next(iter(native.values()))))}
    covered = set()
    for cell, (test, ranges) in cells.items():
        clusters = tests[test] if test else alike
        of = sorted(clusters)
        shape = partition(clusters[r] for r in of)
        members = [v for v, s in native.items() if partition(s[r] for r in of) == shape and all(
            ranges[n][0] <= x <= ranges[n][1] for n, x in zip(names, v) if n in ranges)]
        covered.update(members)
        for index, name in enumerate(names):
            if name in ranges:
                values = {v[index] for v in members}
                for end in ranges[name]:
                    if end not in values:
                        problems.append(f"RANGE cell {cell}, test {test}: no input with {name} = "
                                        f"{end} clusters as {shape}")
    if len(covered) != len(native) and cells and complete:
        left = next(v for v in native if v not in covered)
        problems.append(f"RANGE {len(native) - len(covered)} inputs in no cell, as {left}: {native[left]}")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("psychic", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ways", choices=("usual", "in-turn", "all"), default="usual")
    options = parser.parse_args()
    total, bad, lock = collections.Counter(), 0, threading.Lock()
    ways = {"usual": lambda seed: [], "in-turn": lambda seed: [WAYS[seed % len(WAYS)]],
            "all": lambda seed: WAYS}[options.ways]

    def one(seed):
        nonlocal bad
        with tempfile.TemporaryDirectory() as scratch:
            base = options.keep / str(seed) if options.keep else pathlib.Path(scratch)
            try:
                problems, counts = check(seed, options.psychic.resolve(), base, ways)
            except subprocess.SubprocessError as error:
                problems, counts = [f"{error} {getattr(error, 'stderr', '')}"[:2000]], {}
        with lock:
            total.update(counts)
            total["subjects"] += 1
            for problem in problems:
                print(f"seed {seed}: {problem}", flush=True)
            bad += bool(problems)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, range(options.first, options.last + 1)))
    print(json.dumps(total, indent=1))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

"""Runs psychic on random programs such as people write, and checks every claim against the truth: what
each patched source, compiled on its own, does natively on many inputs.

    attack.py PSYCHIC FIRST LAST [--package] [--keep DIR] [--jobs N] [--budget TIME] [--figures FILE]

For each seed in FIRST..LAST, makes a program (sources.py) and ten patches of it (mutants.py), and runs
`psychic diff`. Then the following must hold:

- no pair that is called equivalent differs natively on an input within the bounds;
- no pair that is called equivalent unless failing differs on an input on which not both have a
  sanitizer's finding;
- every test of the results clusters the separate builds as it says;
- no replay contradicted the engine;
- nothing is rejected that compiles and links on its own;
- the tree separates every pair that was told apart.

An input on which the builds of clang, gcc and an optimiser differ is undefined, and left out. With
--package, each program has a Makefile and psychic takes it as a package with its libc; there, everything
undefined is left out. Prints a line for each contradiction, with the directory of the subject, and then
the figures; --figures adds them to a CSV file.
"""

import argparse
import collections
import concurrent.futures
import csv
import datetime
import difflib
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "native"))

import ktest
import mutants
import results as written
import separately
import sources

MUTANTS = 10
INPUTS = 120
# Codes of unknown pairs that only a bug in psychic explains.
OWN_MISTAKES = {"internal-error", "state-lost", "refutation-lost", "contradicted"}
# Of each kind of inputs or pairs, so many are examined with further builds.
LOOKED_AT = 4


def patch(old, new, context):
    """A unified diff of all files that differ, including new and deleted ones."""
    parts = []
    for name in sorted(old.keys() | new.keys()):
        before, after = (files.get(name, "").splitlines(True) for files in (old, new))
        lines = difflib.unified_diff(before, after, f"a/{name}" if name in old else "/dev/null",
                                     f"b/{name}" if name in new else "/dev/null", n=context)
        parts += [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
                  for line in lines]
    return "".join(parts)


def arranged(files):
    """The program with headers in directories of their own, one of them reached through another. (The
    separate builds have all files in one directory.)"""
    names = {"util.h": "inc/util.h", "extra.h": "src/new/extra.h"}
    includes = {'#include "util.h"': '#include "../lib/through.h"',
                '#include "extra.h"': '#include "new/extra.h"'}
    found = {"lib/through.h": '#include "../inc/util.h"\n'}
    for name, text in files.items():
        for flat, deep in includes.items():
            text = text.replace(flat, deep)
        found[names.get(name, f"src/{name}")] = text
    return found


def settings(seed, program, budget, package, c_files):
    """The text of subject.toml, with such narrow bounds that psychic is done in seconds."""
    lines = [f'name = "attack-{seed}"', 'patches = ["*.diff"]']
    if package:
        lines += ["[build]", 'directory = "package"', 'program = "program"']
    else:
        lines += [f"sources = {json.dumps(c_files)}", 'entry = "main"']
    lines += ["[budget]", f'time = "{budget}"', "instructions = 300000", 'replay = "300ms"', "[inputs]"]
    if program.mode == "args":
        lines.append("args = [" + ", ".join(f"{{ string = {n} }}" for n in program.kinds) + "]")
        lines += ["[inputs.stdin]", "bytes = 0"]
    elif program.mode == "bytes":
        lines += ["[inputs.stdin]", f"bytes = {program.kinds[0]}"]
    else:
        lines += ["[inputs.stdin]", f"tokens = {len(program.kinds)}", f"word = {program.word}"]
    return "\n".join(lines) + "\n"


def makefile(program):
    objects = " ".join(name.replace(".c", ".o") for name in program.compiled())
    return (f"program: {objects}\n\t$(CC) $(CFLAGS) $^ $(LDFLAGS) -o $@\n"
            f"{objects}: $(wildcard *.[ch])\n")


def revisions(rng, program, directory, tools):
    """The files and the builds of the original and of its mutants, most of which compile. If a build
    fails, its `built` is None."""
    found = [program.files]
    trees = [separately.Revision(directory / "0", program.files, tools)]
    trees[0].build()
    for _ in range(10 * MUTANTS):
        if len(found) > MUTANTS:
            break
        files = mutants.mutant(rng, rng.choice(found[-1:]) if rng.random() < 0.1 else found[0])
        if files == found[0] or files in found and rng.random() < 0.9:
            continue
        tree = separately.Revision(directory / str(len(found)), files, tools)
        try:
            # As subject.toml says, only the sources in its list are compiled, and no new files.
            tree.sources = trees[0].sources
            tree.build()
        except separately.Failed:
            if rng.random() < 0.97:
                shutil.rmtree(tree.directory)
                continue
            tree.built = None
        found.append(files)
        trees.append(tree)
    return found, trees


def inputs_for(rng, program, files):
    """Inputs within the bounds: corner values, values that occur in the sources, and random ones."""
    text = "\n".join("\n".join(f.values()) for f in files)
    numbers = sorted({int(n) + d for n in re.findall(r"(?<![\w.])\d{1,9}\b", text) for d in (-1, 0, 1)})
    letters = sorted(set(re.findall(r"'(.)'", text)) | set("ab0 \n-9Z~\x7f"))
    words = [w for w in re.findall(r'"(\w{1,4})"', text)] + ["a", "Ab1", "0", "-1", "zz"]

    def integer(low, high):
        choice = rng.random()
        if choice < 0.35:
            n = rng.randint(-12, 45)
        elif choice < 0.7:
            n = rng.choice(numbers) * rng.choice([1, 1, 1, -1])
        elif choice < 0.85:
            n = rng.choice([0, 1, -1, low, high, low + 1, high - 1, 127, 128, 255, 256, 65535])
        else:
            n = rng.randint(low, high)
        return min(max(n, low), high)

    def byte():
        return ord(rng.choice(letters)) & 255 if rng.random() < 0.6 else rng.choice(
            [rng.randint(0, 255), rng.randint(32, 126), ord(rng.choice("0123456789"))])

    def token(kind):
        if kind == "int":
            return b"%d\n" % integer(-2**31, 2**31 - 1)
        if kind == "unsigned":
            return b"%d\n" % integer(0, 2**32 - 1)
        if kind == "char":
            return bytes([rng.choice([ord(c) for c in letters if c > " "]) if rng.random() < 0.5
                          else rng.randint(33, 126)])
        if rng.random() < 0.4:
            return rng.choice(words).encode()[:program.word] + b"\n"
        return bytes(rng.choice([byte(), rng.randint(97, 122)]) for _ in range(
            rng.randint(1, program.word))).translate(None, b" \t\n\v\f\r\0")[:program.word] + b"\n"

    found = []
    for _ in range(INPUTS):
        if program.mode == "tokens":
            tokens = [token(kind) for kind in program.kinds]
            # A word must not be empty.
            found.append(((), b"".join(b"x\n" if t == b"\n" else t for t in tokens)))
        elif program.mode == "bytes":
            found.append(((), bytes(byte() for _ in range(program.kinds[0]))))
        else:
            found.append((tuple(bytes(b for b in (byte() for _ in range(rng.randint(0, n))) if b)
                                for n in program.kinds), b""))
    return list(dict.fromkeys(found))


def own_test(path, program):
    """The input of a test that psychic found."""
    objects = ktest.read(path)
    count = len(program.kinds) if program.mode == "args" else 0
    arguments = tuple(objects.get(f"arg{i:02}", b"").split(b"\0")[0] for i in range(count))
    return arguments, objects.get("stdin", b"")


class Judge:
    """Distinguishes contradictions from inputs that are undefined or out of bounds, and from findings."""

    def __init__(self, program, trees, counts, package):
        self.program, self.trees, self.counts, self.package = program, trees, counts, package

    def outcome(self, revision, given):
        return self.trees[revision].run([given])[0]

    def differ(self, a, b, given):
        """Whether both revisions have an outcome on the input, and different ones."""
        first, second = self.outcome(a, given), self.outcome(b, given)
        return first is not None and second is not None and first != second

    def within(self, pair, given):
        """Whether the input is within the bounds for both revisions, and their behaviour is defined."""
        if self.program.mode == "tokens" and not all(self.trees[r].reads_well(
                given, len(self.program.kinds), self.program.word) for r in pair):
            self.counts["out of bounds"] += 1
            return False
        for r in pair:
            others = [self.trees[r].run([given], kind)[0] for kind in ("gcc", "optimised")]
            if any(other != self.outcome(r, given) for other in others) \
                    and not self.fails(r, given) and not self.trees[r].uses_unwritten(given):
                self.counts["undefined"] += 1
                return False
        return True

    def fails(self, r, given):
        return self.trees[r].fails(given)

    def open(self, pair, given):
        """Whether C leaves open what one of the two does, so that as a package it may do anything."""
        return self.package and any(
            self.fails(r, given) or self.trees[r].uses_unwritten(given) for r in pair)

    def printed_before(self, pair, given):
        """Whether both fail, and have printed different texts before."""
        printed = [self.trees[r].run([given], "errors")[0][1:2] for r in pair]
        return all(self.fails(r, given) for r in pair) and printed[0] != printed[1]

    def slow(self, pair, given):
        """Whether a run was stopped that would have ended with more time."""
        stopped = [r for r in pair if self.outcome(r, given)[0] == separately.STOPPED]
        return any(self.trees[r].run([given], "plain", 5000)[0] != (separately.STOPPED,)
                   for r in stopped)

    def excuse(self, pair, given, failing_alike):
        """Why the two may differ natively on the input although they count as the same; None if they
        may not."""
        if self.slow(pair, given):
            return "slow"
        if not self.within(pair, given):
            return "not within"
        if self.open(pair, given):
            return "left open"
        fail = [self.fails(r, given) for r in pair]
        unwritten = [self.trees[r].uses_unwritten(given) for r in pair]
        # The value of an expression without a result (`7 % 0`) is whatever a register happens to hold.
        if all(unwritten) and not any(self.trees[r].is_steady(given) for r in pair):
            return "another each time"
        if all(fail) and failing_alike:
            return "both fail"
        if any(fail):
            return None
        if any(unwritten):
            zero = [self.trees[r].run([given], "zero")[0] for r in pair]
            if all(unwritten) and (zero[0] == zero[1]
                                   or not all(self.trees[r].returns() for r in pair)):
                return "unwritten"
        return None

    def differ_from_zero(self, pair, given):
        """Whether the two differ if memory that was never written is zero, as it is for psychic."""
        first, second = (self.trees[r].run([given], "zero")[0] for r in pair)
        return first != second

    def findings(self, pair, given):
        """Whether the findings of sanitizers differ."""
        found = [(self.fails(r, given), self.trees[r].uses_unwritten(given)) for r in pair]
        return found[0] != found[1]


def shown(outcome):
    return repr(outcome)[:160]


def check_pairs(judge, results, given, tests, counts):
    """Checks that no verdict contradicts the native runs; returns the problems."""
    problems, mistakes = [], {}
    for row in written.rows(results / "pairs.csv"):
        pair = int(row["a"]), int(row["b"])
        counts[row["verdict"]] += 1
        apart = [i for i in given if judge.differ(*pair, i)]
        if row["verdict"] == "unknown":
            counts["missed"] += bool(apart)
            for code in row["code"].split("; "):
                counts["code " + code] += 1
                if code in OWN_MISTAKES:
                    mistakes.setdefault(code, []).append(pair)
            if not row["reason"]:
                problems.append(f"{pair} is unknown without a reason")
        if row["verdict"] == "distinguished":
            # Counts how many differences our own inputs find, and so how well they would find a wrong
            # verdict.
            counts["distinguished by own inputs"] += any(i not in tests for i in apart)
        if not row["verdict"].startswith("equivalent"):
            continue
        for i in apart[:LOOKED_AT]:
            excuse = judge.excuse(pair, i, row["verdict"] != "equivalent")
            if not excuse:
                problems.append(
                    f"LIE {pair} called {row['verdict']}, on {i}: "
                    f"{shown(judge.outcome(pair[0], i))} and {shown(judge.outcome(pair[1], i))}")
                break
            counts["excused " + excuse] += 1
    return problems + [f"MISTAKE {code}: {len(pairs)} pairs, the first {pairs[0]}"
                       for code, pairs in mistakes.items()]


def check_tests(judge, results, tests, counts):
    """Checks that every test clusters the separate builds as clusters.csv says; returns the problems."""
    problems, looked = [], set()
    finding = {(row["test"], int(row["revision"])): row["finding"]
               for row in written.rows(results / "outcomes.csv")}
    for test, clusters in written.read_clusters(results).items():
        for pair in itertools.combinations(sorted(clusters), 2):
            i = tests[test]
            if None in (judge.outcome(pair[0], i), judge.outcome(pair[1], i)):
                continue
            differ, claimed = judge.differ(*pair, i), clusters[pair[0]] != clusters[pair[1]]
            if differ == claimed:
                continue
            named = [finding[test, r] for r in pair]
            told = claimed and named[0] != named[1]
            if told and pair not in looked and len(looked) >= LOOKED_AT:
                # Builds with sanitizers take long.
                counts["told apart by findings, not looked into"] += 1
            elif told and judge.findings(pair, i):
                looked.add(pair)
                counts["told apart by findings"] += 1
            elif told and not all(judge.trees[r].returns() for r in pair):
                # For MemorySanitizer, returning a value uses it; for psychic, only its use does.
                counts["told apart by findings, with a result that nobody gives"] += 1
            elif told and all(judge.fails(r, i) for r in pair):
                looked.add(pair)
                counts["told apart by classes of errors"] += 1
            elif claimed and named[0] and named[0] == named[1] and judge.printed_before(pair, i):
                counts["told apart by what came before errors"] += 1
            elif claimed and "uninitialised-read" in named and judge.differ_from_zero(pair, i):
                counts["told apart with memory that begins as zero"] += 1
            elif claimed and not any(named) and not judge.within(pair, i):
                counts["told apart where nothing is defined"] += 1
            elif judge.open(pair, i):
                counts["left open on a test"] += 1
            elif not claimed and named[0] == named[1] and judge.excuse(pair, i, bool(named[0])):
                counts["excused on a test"] += 1
            else:
                problems.append(f"TEST {test} {i} is said to {'' if claimed else 'not '}tell {pair} "
                                f"apart, findings {named}: {shown(judge.outcome(pair[0], i))} and "
                                f"{shown(judge.outcome(pair[1], i))}")
                break
    more = [f"TEST and {len(problems) - 1} more tests"] if len(problems) > 1 else []
    return problems[:1] + more


def together(node):
    """The pairs that share a leaf of the tree."""
    if "test" not in node:
        return set(itertools.combinations(sorted(node["revisions"]), 2))
    return set().union(*(together(edge.get("child") or {"revisions": edge["revisions"]})
                         for edge in node["outcomes"]))


def check_tree(results):
    left = together(json.loads((results / "tree.json").read_text()))
    return [f"TREE does not separate {row['a']} and {row['b']}, told apart by test {row['test']}"
            for row in written.rows(results / "pairs.csv")
            if row["verdict"] == "distinguished" and (int(row["a"]), int(row["b"])) in left]


def check_rest(results, trees, counts):
    """Checks revisions, mismatches, the tree, and that the files agree with each other; returns the
    problems."""
    problems = []
    out = written.rejected(results)
    for row in written.rows(results / "revisions.csv"):
        revision = int(row["revision"])
        if (revision in out) != (trees[revision].built is None):
            problems.append(f"REJECTED {row['patch']}: {row['status']}, "
                            f"{row['reason'][:300]}, though its own "
                            f"build {'fails' if trees[revision].built is None else 'succeeds'}")
    counts["rejected"] += len(out)
    summary = written.rows(results / "summary.csv")[0]
    if summary["mismatches"] != "0":
        problems.append("MISMATCH " + (results / "mismatches.txt").read_text()[:300])
    try:
        patches = [f"{n:02}.diff" for n in range(1, len(trees))]
        written.check_numbering(results, patches)
        tests = written.read_clusters(results)
        written.check_pairs(results, len(trees), {}, tests)
        written.check_tree(results, len(trees), tests)
    except written.Contradiction as contradiction:
        problems.append(f"FILES {contradiction}")
    return problems + check_tree(results)


def check(seed, psychic, directory, tools, budget, package):
    """Checks one seed; returns the problems, and counts."""
    rng, counts, began = random.Random(seed), collections.Counter(), time.monotonic()
    program = sources.program(rng)
    while package and program.mode == "tokens":
        # A package reads bytes or arguments.
        program = sources.program(rng)
    files, trees = revisions(rng, program, directory / "builds", tools)
    subject, results = directory / "subject", directory / "results"
    subject.mkdir()
    root = subject / "package" if package else subject
    root.mkdir(exist_ok=True)
    if seed % 3 == 0 and not package:
        laid_out = [arranged(one) for one in files]
    else:
        laid_out = files
    for name, text in laid_out[0].items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    if package:
        (root / "Makefile").write_text(makefile(program))
    c_files = sorted(name for name in laid_out[0] if name.endswith(".c"))
    (subject / "subject.toml").write_text(settings(seed, program, budget, package, c_files))
    for number, changed in enumerate(laid_out[1:], 1):
        (subject / f"{number:02}.diff").write_text(patch(laid_out[0], changed, rng.choice([3, 3, 1])))
    counts["build seconds"] += time.monotonic() - began
    began = time.monotonic()
    done = subprocess.run([psychic, "diff", subject, "--jobs", "1", "--out", results],
                          capture_output=True, text=True, errors="replace", timeout=600)
    counts["psychic seconds"] += time.monotonic() - began
    began = time.monotonic()
    counts["subjects"] += 1
    counts["revisions"] += len(files)
    if done.returncode not in (0, 1):
        return [f"EXIT {done.returncode}: {done.stderr[-500:]}"], counts
    problems = check_rest(results, trees, counts)
    if any(problem.startswith("REJECTED") for problem in problems):
        # Nothing can be checked about a revision that does not build on its own.
        return problems, counts
    tests = {row["test"]: own_test(results / "tests" / f"{int(row['test']):04}.ktest", program)
             for row in written.rows(results / "tests.csv")}
    given = list(dict.fromkeys([*inputs_for(rng, program, files), *tests.values()]))
    for tree in trees:
        if tree.built is not None:
            tree.run(given)
    judge = Judge(program, trees, counts, package)
    problems += check_pairs(judge, results, given, set(tests.values()), counts)
    problems += check_tests(judge, results, tests, counts)
    counts["judging seconds"] += time.monotonic() - began
    counts["native runs"] += sum(tree.runs for tree in trees)
    return problems, counts


VERDICTS = ["distinguished", "equivalent", "equivalent-unless-failing", "unknown"]


def write_figures(path, first, last, total, bad, seconds):
    """Adds a row of figures at the end of the CSV file."""
    fresh = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if fresh:
            writer.writerow(["date", "first_seed", "last_seed", "subjects", "revisions", "pairs",
                             *(v.replace("-", "_") for v in VERDICTS), "unknown_that_differ", "rejected",
                             "native_runs", "undefined", "contradictions", "seconds"])
        writer.writerow([datetime.date.today(), first, last, total["subjects"], total["revisions"],
                         sum(total[v] for v in VERDICTS), *(total[v] for v in VERDICTS), total["missed"],
                         total["rejected"], total["native runs"], total["undefined"], bad,
                         round(seconds)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("psychic", type=pathlib.Path)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--package", action="store_true", help="have psychic build packages")
    parser.add_argument("--keep", type=pathlib.Path, help="keep subjects with contradictions here")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", default="10s", help="psychic's time for one subject")
    parser.add_argument("--figures", type=pathlib.Path, help="add a row to this CSV file")
    parser.add_argument("--verdicts", action="store_true",
                        help="fail for wrong verdicts alone, not for what psychic itself calls a "
                             "mismatch and proves nothing of")
    options = parser.parse_args()
    total, bad, lock, began = collections.Counter(), 0, threading.Lock(), time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        tools = separately.runner(scratch)

        def one(seed):
            nonlocal bad
            directory = scratch / str(seed)
            directory.mkdir()
            try:
                problems, counts = check(seed, options.psychic.resolve(), directory, tools,
                                         options.budget, options.package)
            except (subprocess.SubprocessError, separately.Failed) as error:
                problems, counts = [f"{error} {getattr(error, 'stderr', '')}"[:2000]], {}
            kept = ""
            if problems and options.keep:
                kept = options.keep / str(seed)
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(directory, kept)
            shutil.rmtree(directory)
            with lock:
                total.update(counts)
                admitted = ("MISMATCH", "MISTAKE contradicted") if options.verdicts else ()
                bad += sum(not problem.startswith(admitted) for problem in problems)
                for problem in problems:
                    print(f"seed {seed}: {problem} {kept}".rstrip(), flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                list(pool.map(one, range(options.first, options.last + 1)))
            except KeyboardInterrupt:
                # The figures show what was done by then.
                pool.shutdown(cancel_futures=True)
    if options.figures and total["subjects"]:
        write_figures(options.figures, options.first, options.last, total, bad,
                      time.monotonic() - began)
    print(json.dumps({name: round(n) for name, n in sorted(total.items())}, indent=1))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

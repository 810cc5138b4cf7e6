#!/usr/bin/env python3
"""Reads results.json of `psychic diff` with nothing but Python's standard library.

    python3 examples/read_results.py results/smallest

prints the classes of patches that nothing tells apart, and the questions that lead to each of them.
"""

import json
import sys
from pathlib import Path


def name(revision):
    return "original" if revision["revision"] == 0 else revision["patch"]


def outcome(entry):
    """An outcome in a few words."""
    words = [entry["finding"]] if entry["finding"] else []
    words += [f"{output} = {value}" for output, value in entry["outputs"].items()]
    if entry["stdout"]:
        words.append(repr(entry["stdout"]))
    if entry["signal"] is not None:
        words.append(f"signal {entry['signal']}")
    elif entry["exit"] or not words:
        words.append(f"exit {entry['exit']}")
    return ", ".join(words)


def paths(tree, tests, asked=()):
    """Every leaf of the tree, with the questions and answers that lead to it."""
    if "test" not in tree:
        yield tree["revisions"], asked
        return
    test = tests[tree["test"]]
    shown = {entry["cluster"]: outcome(entry) for entry in test["outcomes"]}
    for branch in tree["outcomes"]:
        question = f"on {test['input']}: {shown[branch['cluster']]}"
        yield from paths(branch["child"], tests, asked + (question,))


def main(directory):
    results = json.loads(Path(directory, "results.json").read_text(encoding="utf-8"))
    if results["version"] != 1:
        sys.exit(f"{directory}: version {results['version']} is not known")
    names = {revision["revision"]: name(revision) for revision in results["revisions"]}
    tests = {test["test"]: test for test in results["tests"]}
    for revisions, asked in paths(results["tree"], tests):
        print(", ".join(names[revision] for revision in revisions))
        for question in asked:
            print("   ", question)
    unknown = [pair for pair in results["pairs"] if pair["verdict"] == "unknown"]
    for pair in unknown:
        print(f"unknown: {names[pair['a']]} and {names[pair['b']]}: {'; '.join(pair['code'])}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

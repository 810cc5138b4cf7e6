"""Checks the files that `psychic diff` wrote against native runs.

Uses no code of psychic: the files are read as documented in docs/formats.md, and the
smallest height of a tree is found again by a search of its own.
"""

import csv
import itertools
import json


class Contradiction(Exception):
    """The results make a false claim."""


def rows(path):
    """The rows of a CSV file, as dictionaries by column."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def rejected(results):
    """The revisions that have no part in the results."""
    return {int(row["revision"]) for row in rows(results / "revisions.csv")
            if row["status"] == "rejected"}


def read_clusters(results):
    """For every test, the cluster of each revision that has an outcome on it."""
    tests = {}
    for row in rows(results / "clusters.csv"):
        tests.setdefault(row["test"], {})[int(row["revision"])] = int(row["cluster"])
    return tests


def tells_apart(clusters, a, b):
    """Whether a test has outcomes for both, and different ones."""
    return a in clusters and b in clusters and clusters[a] != clusters[b]


def check_numbering(results, patches):
    """Checks that revisions 1..N are the patches in our order."""
    for row in rows(results / "revisions.csv"):
        revision, patch = int(row["revision"]), row["patch"].rpartition("/")[2]
        expected = patches[revision - 1] if revision else None
        if revision and patch not in (expected, expected.removesuffix(".diff")):
            raise Contradiction(f"revision {revision} is {patch}, not {expected}")


def check_pairs(results, count, native, tests):
    """Checks that every pair has a verdict that neither native runs nor a clustering contradict.

    `native` maps a pair that differs to a description of how.
    """
    live = sorted(set(range(count)) - rejected(results))
    verdicts = {}
    for row in rows(results / "pairs.csv"):
        pair = tuple(sorted((int(row["a"]), int(row["b"]))))
        if pair in verdicts:
            raise Contradiction(f"pairs.csv has {pair} twice")
        verdicts[pair] = row
    for pair in itertools.combinations(live, 2):
        if pair not in verdicts:
            raise Contradiction(f"pairs.csv has no verdict on {pair}")
        row = verdicts[pair]
        apart = [t for t, clusters in tests.items() if tells_apart(clusters, *pair)]
        if row["verdict"] == "equivalent":
            if pair in native:
                raise Contradiction(f"{pair} is called equivalent, but {native[pair]}")
            if apart:
                raise Contradiction(f"{pair} is called equivalent, but test {apart[0]} differs")
        elif row["verdict"] == "distinguished":
            if row["test"] not in apart:
                raise Contradiction(
                    f"{pair} is called distinguished by test {row['test']},"
                    " which clusters.csv does not show")
        elif apart:
            raise Contradiction(f"{pair} is called {row['verdict']}, but test {apart[0]} differs")
    return verdicts


def check_tests(results, count, tests, replay):
    """Checks that every test clusters the revisions as native runs of their own builds do.

    `replay` takes the path of a .ktest file and returns the pairs that differ on it.
    """
    live = sorted(set(range(count)) - rejected(results))
    for test, clusters in tests.items():
        differ = replay(results / "tests" / f"{int(test):04}.ktest")
        for a, b in itertools.combinations([r for r in live if r in clusters], 2):
            claimed = clusters[a] != clusters[b]
            if claimed != ((a, b) in differ):
                raise Contradiction(
                    f"test {test} is said to {'' if claimed else 'not '}tell {a} from {b},"
                    " which it does not do natively")
    return len(tests)


def smallest_height(tests, revisions):
    """The height of the lowest tree that separates what can be separated, by search."""
    revisions = tuple(sorted(revisions))
    families = set()
    for clusters in tests.values():
        cells, silent = {}, 0
        for index, revision in enumerate(revisions):
            if revision in clusters:
                cells[clusters[revision]] = cells.get(clusters[revision], 0) | 1 << index
            else:
                silent |= 1 << index
        if len(cells) > 1:
            families.add((frozenset(cells.values()), silent))
    widest = max((len(cells) for cells, _ in families), default=1)
    # Sets of revisions, with a height at which no tree was found.
    failed = set()

    def useful(members):
        """The ways in which tests divide the set; a revision without an outcome is in every part."""
        found = set()
        for cells, silent in families:
            own = [cell & members for cell in cells if cell & members]
            if len(own) > 1:
                found.add(frozenset(cell | silent & members for cell in own))
        return found

    def apart(members):
        """The size of a subset, found greedily, of which tests tell any two apart."""
        chosen = []
        for index in range(len(revisions)):
            bit = 1 << index
            if members & bit and all(any(told(cells, bit, other) for cells, _ in families)
                                     for other in chosen):
                chosen.append(bit)
        return len(chosen)

    def told(cells, a, b):
        return (any(cell & a and not cell & b for cell in cells)
                and any(cell & b and not cell & a for cell in cells))

    def solvable(members, height):
        divisions = useful(members)
        if not divisions:
            return True
        if height == 0 or widest ** height < apart(members) or (members, height) in failed:
            return False
        # Larger parts fail first, so they are tried first.
        for cells in sorted(divisions, key=lambda c: max(x.bit_count() for x in c)):
            ordered = sorted(cells, key=int.bit_count, reverse=True)
            if all(solvable(cell, height - 1) for cell in ordered):
                return True
        failed.add((members, height))
        return False

    everything = (1 << len(revisions)) - 1
    return next(h for h in itertools.count() if solvable(everything, h))


def tree_height(node, revisions, tests):
    """The height of a tree; checks that its edges agree with clusters.csv."""
    if "test" not in node:
        if set(node["revisions"]) != revisions:
            raise Contradiction(f"a leaf of the tree has {node['revisions']}, not {revisions}")
        for a, b in itertools.combinations(sorted(revisions), 2):
            test = next((t for t, clusters in tests.items() if tells_apart(clusters, a, b)), None)
            if test is not None:
                raise Contradiction(f"a leaf of the tree has {a} and {b}, but test {test} differs")
        return 0
    # A number in tree.json and a name such as 0001 in the CSV files may mean the same test.
    named = {int(t): t for t in tests}
    clusters = tests[named[int(node["test"])]]
    heights, seen = [], set()
    for edge in node["outcomes"]:
        part = {r for r in revisions if clusters.get(r, edge["cluster"]) == edge["cluster"]}
        if part != set(edge["revisions"]):
            raise Contradiction(
                f"test {node['test']} of the tree sends {edge['revisions']}"
                f" to cluster {edge['cluster']}, but clusters.csv sends {part}")
        seen |= part
        child = edge.get("child") or {"revisions": edge["revisions"]}
        heights.append(tree_height(child, part, tests))
    if seen != revisions:
        raise Contradiction(f"test {node['test']} of the tree forgets {revisions - seen}")
    return 1 + max(heights)


def check_tree(results, count, tests):
    """Checks that the tree agrees with the tests, and that no tree is lower."""
    live = set(range(count)) - rejected(results)
    tree = json.loads((results / "tree.json").read_text())
    height = tree_height(tree, live, tests)
    smallest = smallest_height(tests, live)
    summary = rows(results / "summary.csv")[0]
    if height != smallest:
        raise Contradiction(f"the tree is {height} high, but {smallest} is possible")
    if int(summary["height"]) != height:
        raise Contradiction(f"summary.csv says {summary['height']}, but the tree is {height} high")
    if int(summary["lower_bound"]) > smallest:
        raise Contradiction(
            f"summary.csv claims a lower bound of {summary['lower_bound']},"
            f" but {smallest} is possible")
    return height


def check(results, count, patches, native, replay):
    """Checks everything; returns the numbers of pairs by verdict and of replayed tests, and the height."""
    check_numbering(results, patches)
    tests = read_clusters(results)
    verdicts = check_pairs(results, count, native, tests)
    counts = {}
    for row in verdicts.values():
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    return {
        "verdicts": counts,
        "replayed": check_tests(results, count, tests, replay),
        "height": check_tree(results, count, tests),
    }

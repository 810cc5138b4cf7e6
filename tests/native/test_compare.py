"""Tests the comparison itself: it must object to wrong results, and only to those."""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import ktest
import results

HERE = pathlib.Path(__file__).parent
TOP = HERE.parent.parent
FOO = [[0, 5, 6], [1], [2, 7], [3, 4], [8], [9, 10], [11], [12]]
SMALLEST = [
    [0, 11, 20], [1, 2, 3, 4], [5], [6], [7], [8, 9], [10], [12], [13], [14], [15], [16, 17],
    [18], [19], [21], [22],
]


class Fake:
    """A results directory for four revisions; 2 and 3 are equivalent, and the tree has height 2."""

    PATCHES = ["1.diff", "2.diff", "3.diff"]
    NATIVE = {(0, 1): "seen", (0, 2): "seen", (0, 3): "seen", (1, 2): "seen", (1, 3): "seen"}

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.revisions = [[0, "", "merged"], *([i, f"{i}.diff", "merged"] for i in (1, 2, 3))]
        self.pairs = {
            (0, 1): ("distinguished", "1"), (0, 2): ("distinguished", "2"),
            (0, 3): ("distinguished", "2"), (1, 2): ("distinguished", "2"),
            (1, 3): ("distinguished", "2"), (2, 3): ("equivalent", ""),
        }
        self.clusters = {"1": [0, 1, 0, 0], "2": [0, 0, 2, 2]}
        leaf = [{"revisions": [0]}, {"revisions": [1]}, {"revisions": [2, 3]}]
        self.tree = {"test": 2, "outcomes": [
            {"cluster": 0, "revisions": [0, 1], "child": {"test": 1, "outcomes": [
                {"cluster": 0, "revisions": [0], "child": leaf[0]},
                {"cluster": 1, "revisions": [1], "child": leaf[1]}]}},
            {"cluster": 2, "revisions": [2, 3], "child": leaf[2]}]}
        self.summary = {"height": 2, "lower_bound": 2}
        self.seen = {"0001.ktest": {(0, 1), (1, 2), (1, 3)},
                     "0002.ktest": {(0, 2), (0, 3), (1, 2), (1, 3)},
                     "0003.ktest": {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)}}

    def check(self):
        """Writes the files and checks them."""
        self.write("revisions.csv", ["revision", "patch", "status"], self.revisions)
        self.write("pairs.csv", ["a", "b", "verdict", "test", "output", "reason"],
                   [[*pair, *verdict, "", ""] for pair, verdict in self.pairs.items()])
        self.write("clusters.csv", ["test", "revision", "cluster"],
                   [[t, r, c] for t, cs in self.clusters.items() for r, c in enumerate(cs)])
        self.write("summary.csv", list(self.summary), [self.summary.values()])
        (self.directory / "tree.json").write_text(json.dumps(self.tree))
        return results.check(self.directory, 4, self.PATCHES, self.NATIVE,
                             lambda path: self.seen[path.name])

    def write(self, name, header, rows):
        """Writes one CSV file."""
        with open(self.directory / name, "w", newline="") as file:
            csv.writer(file).writerows([header, *rows])


class Results(unittest.TestCase):
    """Runs results.py on correct results, and on each kind of wrong ones."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.fake = Fake(scratch.name)

    def objects(self, words):
        """Asserts that the check objects with a message that matches `words`."""
        with self.assertRaisesRegex(results.Contradiction, words):
            self.fake.check()

    def test_right(self):
        """Nothing is wrong."""
        self.assertEqual(self.fake.check(), {
            "verdicts": {"distinguished": 5, "equivalent": 1}, "replayed": 2, "height": 2})

    def test_equivalent_seen_to_differ(self):
        """Two revisions that differ natively are called equivalent."""
        self.fake.pairs[0, 1] = ("equivalent", "")
        self.objects("called equivalent, but seen")

    def test_equivalent_in_two_clusters(self):
        """A test of the results contradicts a proof."""
        self.fake.clusters["3"] = [0, 0, 0, 3]
        self.objects("called equivalent, but test 3")

    def test_distinguished_by_no_difference(self):
        """The test that a verdict names does not tell the pair apart."""
        self.fake.pairs[0, 1] = ("distinguished", "2")
        self.objects("clusters.csv does not show")

    def test_unknown_though_a_test_differs(self):
        """A test tells apart a pair that is called unknown."""
        self.fake.pairs[0, 1] = ("unknown", "")
        self.objects("called unknown, but test 1")

    def test_pair_missing(self):
        """A pair has no row."""
        del self.fake.pairs[2, 3]
        self.objects("no verdict")

    def test_rejected_revision_needs_no_verdict(self):
        """A rejected revision takes no part."""
        self.fake.revisions[3][2] = "rejected"
        del self.fake.pairs[0, 3], self.fake.pairs[1, 3], self.fake.pairs[2, 3]
        self.fake.tree["outcomes"][1] = {
            "cluster": 2, "revisions": [2], "child": {"revisions": [2]}}
        self.assertEqual(self.fake.check()["height"], 2)

    def test_difference_not_seen_on_the_test(self):
        """A test does not show natively what it is kept for."""
        self.fake.seen["0001.ktest"].remove((0, 1))
        self.objects("test 1 is said to tell 0 from 1")

    def test_difference_that_the_test_does_show(self):
        """Revisions in one cluster differ natively."""
        self.fake.seen["0002.ktest"].add((0, 1))
        self.objects("test 2 is said to not tell 0 from 1")

    def test_higher_tree_than_needed(self):
        """One test tells all apart, so a tree of height 2 is too high."""
        self.fake.clusters["3"] = [0, 1, 2, 2]
        self.objects("2 high, but 1 is possible")

    def test_tree_against_clusters(self):
        """An edge of the tree disagrees with clusters.csv."""
        self.fake.tree["outcomes"][0]["revisions"] = [0]
        self.objects("clusters.csv sends")

    def test_patch_order(self):
        """The numbers of revisions mean other patches."""
        self.fake.revisions[1][1], self.fake.revisions[2][1] = "2.diff", "1.diff"
        self.objects("revision 1 is")


class Height(unittest.TestCase):
    """Checks the search for the lowest tree in cases whose height is known by counting."""

    @staticmethod
    def height(*partitions):
        """The least height for tests, each given as the cluster of every revision; None: no outcome."""
        tests = {str(i): {r: c for r, c in enumerate(p) if c is not None}
                 for i, p in enumerate(partitions)}
        return results.smallest_height(tests, range(len(partitions[0])))

    def test_binary_tests(self):
        """Eight revisions, told apart by their three bits or one by one."""
        bits = [[r >> b & 1 for r in range(8)] for b in range(3)]
        single = [[int(r == s) for r in range(8)] for s in range(8)]
        self.assertEqual(self.height(*bits), 3)
        self.assertEqual(self.height(*single), 7)
        self.assertEqual(self.height(*bits, *single), 3)
        self.assertEqual(self.height(*bits[:2], *single), 3)

    def test_greedy_is_not_enough(self):
        """The test with the most outcomes is first in no lowest tree."""
        wide = [0, 1, 2, 3, 4, 4, 4, 4, 4]
        rows = [r // 3 for r in range(9)]
        columns = [r % 3 for r in range(9)]
        self.assertEqual(self.height(wide, rows, columns), 2)

    def test_silent(self):
        """A revision without an outcome follows every branch; the other revisions keep the test."""
        self.assertEqual(self.height([0, 1, None]), 1)
        self.assertEqual(self.height([0, 1, None], [0, None, 1], [None, 0, 1]), 2)
        self.assertEqual(self.height([0, 1, None, None], [None, None, 0, 1]), 2)

    def test_nothing_to_tell_apart(self):
        """Without differences, there are no questions."""
        self.assertEqual(self.height([0, 0, 0]), 0)


class Ktest(unittest.TestCase):
    """The reader of .ktest files, on the bytes that KLEE writes."""

    DATA = (b"KTEST" + b"\0\0\0\x03" + b"\0\0\0\x01" + b"\0\0\0\x02ab" + b"\0" * 8
            + b"\0\0\0\x02" + b"\0\0\0\x01x" + b"\0\0\0\x04\xff\0\0\x80"
            + b"\0\0\0\x05stdin" + b"\0" * 4)

    def test_objects(self):
        """Arguments are skipped, objects may be empty."""
        self.assertEqual(ktest.parse(self.DATA), {"x": b"\xff\0\0\x80", "stdin": b""})

    def test_broken(self):
        """Files that are cut off, too long, or something else are refused."""
        for data in (self.DATA[:-1], self.DATA + b"\0", b"KTEXT" + self.DATA[5:], b"",
                     self.DATA[:8] + b"\x02" + self.DATA[9:]):
            with self.assertRaises(ktest.NotKtest):
                ktest.parse(data)


class Native(unittest.TestCase):
    """The whole comparison on a subject."""

    def compare(self, subject):
        """The report that it prints."""
        done = subprocess.run(
            [sys.executable, HERE / "compare.py", TOP / "patches" / subject],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_foo(self):
        """A function, with revisions that abort."""
        self.assertEqual(self.compare("foo")["classes"], FOO)

    def test_smallest(self):
        """A program on standard input, with one revision that divides by zero and one that
        loops without end."""
        report = self.compare("smallest")
        self.assertEqual(report["classes"], SMALLEST)
        self.assertEqual(list(report["dropped"]), ["19"])


if __name__ == "__main__":
    unittest.main()
